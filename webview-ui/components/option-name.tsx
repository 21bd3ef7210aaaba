import { TruncatedText } from "../shorten/short.js";
import type { Siblings } from "../shorten/siblings.js";

interface OptionNameProps {
  readonly title: string;
  /** The exposed name, which gives way to the title. */
  readonly name: string;
  /** The other titles of the list. */
  readonly among: Siblings;
}

/** What a list calls a family. */
export function OptionName({ title, name, among }: OptionNameProps) {
  return (
    <span class="option-names">
      <TruncatedText text={title} among={among} />
      <span class="option-name muted">
        <TruncatedText text={name} dispensable />
      </span>
    </span>
  );
}
