import { describe, expect, it } from "vitest";
import { withoutSecrets } from "../../../src/collect/server-words.js";
import { secretsIn } from "../../../src/collect/secrets.js";
import { parseEndpointUrl } from "../../../src/collect/url.js";

/** What a message has of what a server says that knows this endpoint. */
function shown(words: string, url: string, headers: Readonly<Record<string, string>> = {}): string {
  return withoutSecrets(words, secretsIn({ ...parseEndpointUrl(url), headers }));
}

describe("what a server repeats of what it was sent", () => {
  it.each([
    ["as it was sent", "no hunter2+x/y= here"],
    ["decoded", "no hunter2 x/y= here"],
    ["in upper case", "no HUNTER2+X/Y= here"],
    ["percent-encoded", "no hunter2%2bx%2Fy%3D here"],
    ["percent-encoded but for slashes", "no hunter2%2Bx/y%3d here"],
  ])("is no secret of the query %s", (_, words) => {
    expect(shown(words, "http://h/metrics?model=llama-70b&key=hunter2+x/y=")).toBe("no REDACTED here");
  });

  it("is no header, in any case or encoding", () => {
    const headers = { authorization: "Bearer a+b/c=.d*e", cookie: "sid=(secret" };
    expect(shown("bearer A%2BB%2fc=.d*E; SID=(SECRET", "http://h", headers)).toBe("REDACTED; REDACTED");
  });

  it("is no end of a secret that begins with another", () => {
    expect(shown("abcd1234 abcd", "http://h/metrics?key=abcd&sig=abcd1234")).toBe("REDACTED REDACTED");
  });

  it("is neither half of a secret with a semicolon", () => {
    expect(shown("hunter2;hunter3 hunter3 hunter2", "http://h/metrics?key=hunter2;hunter3")).toBe(
      "REDACTED REDACTED REDACTED",
    );
  });

  it("may be anything else of the query", () => {
    expect(shown("llama-70b on worker-1", "http://h/metrics?model=llama-70b&node=worker-1;key=hunter2")).toBe(
      "llama-70b on worker-1",
    );
  });
});
