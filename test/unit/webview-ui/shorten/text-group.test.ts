import { describe, expect, it } from "vitest";
import { elideMiddle, TextGroup, type Measure } from "../../../../webview-ui/shorten/text-group.js";
import { seeded } from "../../../support/histogram-simulation.js";

/** A proportional font: narrow, wide and other letters. */
const widthOf: Measure = (text) =>
  [...text].reduce((sum, letter) => sum + ("ijl.,:|/ ".includes(letter) ? 3 : "mwMW…".includes(letter) ? 10 : 6), 0);

function shortened(texts: readonly string[], room: number): readonly string[] {
  const group = new TextGroup(() => texts);
  return texts.map((text) => group.shorten(text, room, widthOf));
}

const MODEL = "model_name=meta-llama/Llama-3.1-70B-Instruct";
const LABELS = [0, 1, 2, 10, 11].flatMap((engine) =>
  ["stop", "length"].map((reason) => `engine=${engine}, finished_reason=${reason}, ${MODEL}`),
);

describe("a name among others", () => {
  it("stays whole where it fits, to the pixel", () => {
    const [text = ""] = LABELS;
    expect(shortened(LABELS, widthOf(text))[0]).toBe(text);
    expect(shortened(LABELS, widthOf(text) - 1)[0]).not.toBe(text);
  });

  it("keeps both ends, with a whole word last", () => {
    expect(new TextGroup(() => []).shorten("handler=/v1/chat/completions method=POST status=2xx", 200, widthOf)).toBe(
      "handler=/v1/chat/comple…status=2xx",
    );
  });

  it("keeps what tells it from the others, wherever that stands", () => {
    const short = shortened(LABELS, 260);
    expect(short.map((text) => /engine=(\d+)/.exec(text)?.[1])).toEqual(
      ["0", "1", "2", "10", "11"].flatMap((engine) => [engine, engine]),
    );
    expect(short.every((text, i) => text.includes(i % 2 === 0 ? "stop" : "length"))).toBe(true);
  });

  it("has no blank beside the ellipsis", () => {
    for (let room = 30; room < 400; room += 7)
      for (const text of shortened(LABELS, room)) expect(text).not.toMatch(/\s…|…\s|……/);
  });

  it("cuts no letter apart", () => {
    const texts = ["👩‍🔬".repeat(12) + "a", "👩‍🔬".repeat(12) + "b"];
    const short = shortened(texts, 300);
    for (const text of short) expect(text.replaceAll("👩‍🔬", "")).toMatch(/^…?[ab]$/);
    expect(new Set(short).size).toBe(2);
  });

  it("of nothing but blanks or in no room is an ellipsis at most", () => {
    expect(shortened(["          ", "           "], 20)).toEqual(["…", "…"]);
    expect(shortened(LABELS, 0)).toEqual(LABELS.map(() => "…"));
  });

  it.each([1, 2, 3, 4, 5])("is never too wide, and reads like no other while there is room (seed %i)", (seed) => {
    const random = seeded(seed);
    const word = () => ["prefill", "decode", "worker", "gpu", "node", "llm", "rack"][Math.floor(random() * 7)] ?? "";
    const texts = new Set<string>();
    while (texts.size < 300) {
      const parts = Array.from({ length: 3 + Math.floor(random() * 5) }, () =>
        random() < 0.5 ? word() : `${word()}=${Math.floor(random() * 40)}`,
      );
      texts.add(parts.join(random() < 0.5 ? ", " : "-"));
      texts.add(`http://gpu-${Math.floor(random() * 999)}.a-long-domain.cluster.local:80${Math.floor(random() * 3)}0`);
    }
    const all = [...texts];
    for (let room = 20; room <= 320; room += 20) {
      const short = shortened(all, room);
      for (const text of short) expect(widthOf(text)).toBeLessThanOrEqual(Math.max(room, widthOf("…")));
      if (room >= 160) expect(new Set(short).size).toBe(all.length);
    }
  });

  it("is worked out for thousands of others when the first does not fit, and not before", () => {
    let asked = 0;
    const many = Array.from({ length: 5000 }, (_, i) => `position=${i}, ${MODEL}`);
    const group = new TextGroup(() => {
      asked++;
      return many;
    });
    group.shorten("short", 300, widthOf);
    expect(asked).toBe(0);
    const short = many.map((text) => group.shorten(text, 150, widthOf));
    expect(new Set(short).size).toBe(many.length);
    expect(asked).toBeLessThanOrEqual(4);
  });
});

it("a name without a place is cut by the number of its letters", () => {
  expect(elideMiddle("abcdefghij", 10)).toBe("abcdefghij");
  expect(elideMiddle("abcdefghijk", 10)).toBe("abcd…ghijk");
  expect(elideMiddle("abcdefghijk", 10)).toHaveLength(10);
});
