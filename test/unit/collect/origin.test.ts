import { describe, expect, it } from "vitest";
import { contactText, isReserved, isReservedOrigin, originOf } from "../../../src/collect/origin.js";

describe("a contact is asked for by its parsed origin", () => {
  it.each([
    ["localhost:8000", "http://localhost:8000"],
    ["HTTP://LocalHost:80/metrics?a=b", "http://localhost"],
    ["http://0x7f.1:22051/ok", "http://127.0.0.1:22051"],
    ["https://[::1]:9/x", "https://[::1]:9"],
  ])("%s", (url, origin) => {
    expect(originOf(url)).toBe(origin);
    expect(contactText({ url })).toBe(origin);
  });

  it("with a user's name said to be one, and no password", () => {
    const text = contactText({ url: "http://localhost:8000@127.0.0.1:22051/ok" });
    expect(text).toBe("http://127.0.0.1:22051, which gets the user name “localhost”");
  });

  it("with what is sent, by name", () => {
    const headers = { "X-Leak": "${env:AWS_SECRET_ACCESS_KEY}", Authorization: "Bearer literal" };
    expect(contactText({ url: "http://a:1", headers, certificate: "~/me.pem", isWrittenTo: true })).toBe(
      "http://a:1, which gets all that a capture reads, header X-Leak with your environment's AWS_SECRET_ACCESS_KEY, header Authorization, the certificate ~/me.pem",
    );
  });
});

it("an address with a zone is named by what it is", () => {
  expect(originOf("http://[fe80::1%25eth0]:8000/metrics")).toBe("http://fe80--1seth0.ipv6-literal.net:8000");
  expect(isReservedOrigin("http://fe80--1seth0.ipv6-literal.net:8000")).toBe(true);
  expect(isReservedOrigin("http://fd00--1seth0.ipv6-literal.net")).toBe(false);
});

it.each([
  ["169.254.169.254", true],
  ["::ffff:169.254.169.254", true],
  ["fe80::1", true],
  ["fe80::1%eth0", true],
  ["fd00:ec2::254", true],
  ["100.100.100.200", true],
  ["127.0.0.1", false],
  ["10.0.0.1", false],
  ["fd00::1", false],
  ["metadata.google.internal", false],
])("%s is reserved: %s", (address, expected) => {
  expect(isReserved(address)).toBe(expected);
});
