interface TextListProps {
  readonly items: readonly string[];
  readonly class?: string;
  readonly label?: string;
}

/** Texts beneath one another. */
export function TextList({ items, class: name = "note-list", label }: TextListProps) {
  return (
    <ul class={name} aria-label={label}>
      {items.map((item) => (
        <li key={item}>{item}</li>
      ))}
    </ul>
  );
}
