import { Icon, type IconName } from "./icon.js";

interface ButtonProps {
  readonly text: string;
  readonly icon?: IconName;
  readonly title?: string | undefined;
  /** What is most likely wanted: it stands out. */
  readonly primary?: boolean;
  readonly disabled?: boolean;
  readonly pressed?: boolean;
  readonly onClick: () => void;
}

/** A button that says what it does, perhaps with a sign before it. */
export function Button({ text, icon, title, primary = false, disabled = false, pressed, onClick }: ButtonProps) {
  return (
    <vscode-button
      appearance={primary ? "primary" : "secondary"}
      title={title}
      disabled={disabled}
      aria-pressed={pressed}
      onClick={onClick}
    >
      {icon !== undefined && <Icon name={icon} slot="start" />}
      {text}
    </vscode-button>
  );
}

interface IconButtonProps {
  readonly icon: IconName;
  /** What it does. */
  readonly label: string;
  /** Where more can be told than the label says. */
  readonly title?: string;
  readonly disabled?: boolean;
  /** -1: reached by other keys than Tab. */
  readonly tabIndex?: number;
  readonly onClick: () => void;
}

/** A button that is a sign alone. */
export function IconButton({ icon, label, title = label, disabled = false, tabIndex, onClick }: IconButtonProps) {
  return (
    <vscode-button
      appearance="icon"
      aria-label={label}
      title={title}
      disabled={disabled}
      tabindex={tabIndex}
      onClick={onClick}
    >
      <Icon name={icon} />
    </vscode-button>
  );
}
