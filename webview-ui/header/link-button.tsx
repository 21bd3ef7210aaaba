import { t } from "@vscode/l10n";
import { Icon } from "../components/icon.js";
import { ProblemLine } from "../components/message.js";
import { plural } from "../../src/core/text/plural.js";
import { useAction } from "../state/action.js";
import { useView } from "../state/context.js";

/** Links this view with the other runs that are open, or lets it go; says that it is linked. */
export function LinkButton() {
  const { link } = useView();
  const action = useAction();
  const { linked, others } = link.state.value;
  const does = linked
    ? t`Unlink from ${plural(others, t("other run"), t("other runs"))}`
    : t("Link with the other runs that are open");
  return (
    <>
      <vscode-button
        appearance={linked ? "secondary" : "icon"}
        aria-pressed={linked}
        aria-label={does}
        title={t`${does}\nZoom, charts and slice length of linked views follow each other`}
        onClick={() => action.start(link.toggle())}
      >
        {linked ? (
          <>
            <Icon name="link" slot="start" />
            {t("Linked")}
          </>
        ) : (
          <Icon name="link" />
        )}
      </vscode-button>
      {action.problem.value !== undefined && <ProblemLine problem={action.problem.value} />}
    </>
  );
}
