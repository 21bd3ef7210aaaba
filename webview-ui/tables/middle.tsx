/** So many characters at the end are kept: bucket names and models differ there. */
const TAIL = 9;

/** A text that loses its middle, not its end, where it is too long for its place. */
export function Middle({ text }: { readonly text: string }) {
  if (text.length <= 2 * TAIL) return <span class="middle-head">{text}</span>;
  return (
    <>
      <span class="middle-head">{text.slice(0, -TAIL)}</span>
      <span class="middle-tail">{text.slice(-TAIL)}</span>
    </>
  );
}
