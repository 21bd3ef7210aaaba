import { splitMiddle } from "../format/text.js";

/** A text that loses its middle, not its end, where it is too long for its place. */
export function Middle({ text }: { readonly text: string }) {
  const [head, tail] = splitMiddle(text);
  return (
    <>
      <span class="middle-head">{head}</span>
      {tail !== "" && <span class="middle-tail">{tail}</span>}
    </>
  );
}
