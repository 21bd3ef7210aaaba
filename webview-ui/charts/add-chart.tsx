import { t } from "@vscode/l10n";
import { Icon } from "../components/icon.js";
import { Popover, type PopoverProps } from "../components/popover.js";

/** The button that opens a list of what can be charted. */
export function AddChartPopover({ children }: Pick<PopoverProps, "children">) {
  return (
    <Popover
      label={t("Add Chart")}
      align="right"
      button={
        <>
          <Icon name="add" slot="start" />
          {t("Add Chart")}
        </>
      }
    >
      {children}
    </Popover>
  );
}
