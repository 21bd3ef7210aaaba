import { Fragment, h } from "preact";
import { beforeAll, expect, it } from "vitest";
import { removeControlCharacters } from "../../../webview-ui/control-characters.js";

beforeAll(removeControlCharacters);

it("the page writes control characters out, in text and in what is spoken", () => {
  const node = h("p", { title: "a\u202eb", class: "c" }, "x\u001b[2J", ["y\u202e", 3], "z\n");
  expect(node.props).toMatchObject({
    title: "a\\u202eb",
    class: "c",
    children: ["x\\u001b[2J", ["y\\u202e", 3], "z\n"],
  });
  expect(h("p", {}, "x\u202e").props.children).toBe("x\\u202e");
  expect(h(Fragment, {}, "x\u202e").props.children).toBe("x\\u202e");
});

it("the page leaves attributes that are not shown as they are", () => {
  expect(h("input", { value: "a\u202eb" }).props).toEqual({ value: "a\u202eb" });
});
