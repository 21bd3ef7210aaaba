/** Codicons in use; each has its rule in components/icons.css. */
export const ICON_NAMES = [
  "add",
  "archive",
  "arrow-down",
  "arrow-left",
  "arrow-right",
  "arrow-swap",
  "arrow-up",
  "bookmark",
  "check",
  "chevron-down",
  "chevron-right",
  "circle-slash",
  "close",
  "copy",
  "debug-pause",
  "debug-step-over",
  "debug-stop",
  "discard",
  "ellipsis",
  "error",
  "export",
  "file",
  "flame",
  "go-to-file",
  "graph",
  "graph-line",
  "gripper",
  "info",
  "link",
  "list-filter",
  "list-ordered",
  "loading",
  "pass",
  "pie-chart",
  "pin",
  "pinned",
  "question",
  "record",
  "refresh",
  "screen-full",
  "screen-normal",
  "search",
  "star-empty",
  "star-full",
  "symbol-array",
  "table",
  "thumbsdown",
  "thumbsup",
  "warning",
  "zoom-in",
  "zoom-out",
] as const;
export type IconName = (typeof ICON_NAMES)[number];

interface IconProps {
  readonly name: IconName;
  /** What it says; without, it is decoration. */
  readonly label?: string;
  readonly class?: string;
  /** Place in a component of the toolkit. */
  readonly slot?: "start";
}

/** A codicon in the colour and size of the text; "loading" turns. */
export function Icon({ name, label, class: extra = "", slot }: IconProps) {
  const shared = { class: `codicon codicon-${name} ${extra}`, ...(slot === undefined ? {} : { slot }) };
  return label === undefined ? (
    <span {...shared} aria-hidden="true" />
  ) : (
    <span {...shared} role="img" aria-label={label} title={label} />
  );
}
