import { t } from "@vscode/l10n";
import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.js";
import { Popover } from "./popover.js";

interface ExportPopoverProps {
  readonly label: string;
  /** Above what can be exported: which part of it. */
  readonly choices?: () => ComponentChildren;
  readonly items: readonly ExportItem[];
}

interface ExportItem {
  readonly text: string;
  readonly icon: IconName;
  readonly title?: string;
  readonly onPick: () => void;
}

/** A button that opens what can be made of what is shown. */
export function ExportPopover({ label, choices, items }: ExportPopoverProps) {
  return (
    <Popover label={label} align="right" icon="export" text={t("Export")}>
      {(close) => (
        <div class="export-menu">
          {choices?.()}
          {items.map(({ text, icon, title, onPick }, i) => (
            <button
              key={text}
              type="button"
              class="menu-item"
              title={title}
              {...(i === 0 ? { "data-autofocus": true } : {})}
              onClick={() => {
                close();
                onPick();
              }}
            >
              <Icon name={icon} />
              {text}
            </button>
          ))}
        </div>
      )}
    </Popover>
  );
}
