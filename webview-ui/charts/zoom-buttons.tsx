import { t } from "@vscode/l10n";
import { Icon } from "../components/icon.js";
import type { Viewport } from "../state/run-store.js";
import { zoomed } from "./viewport.js";

interface ZoomButtonsProps {
  /** Undefined: the whole. */
  readonly viewport: Viewport | undefined;
  readonly whole: Viewport;
  readonly onViewport: (viewport: Viewport | undefined) => void;
}

/** Zoom for those without a wheel, and the way back. */
export function ZoomButtons({ viewport, whole, onViewport }: ZoomButtonsProps) {
  return (
    <>
      <vscode-button
        appearance="icon"
        aria-label={t("Zoom in")}
        title={t("Zoom in (drag over a chart, or Ctrl+wheel; Shift+drag moves; on a focused chart + and -, arrows, 0)")}
        onClick={() => onViewport(zoomed(viewport ?? whole, 0.5, whole))}
      >
        <Icon name="zoom-in" />
      </vscode-button>
      <vscode-button
        appearance="icon"
        aria-label={t("Zoom out")}
        title={t("Zoom out")}
        disabled={viewport === undefined}
        onClick={() => onViewport(zoomed(viewport ?? whole, 2, whole))}
      >
        <Icon name="zoom-out" />
      </vscode-button>
      <vscode-button appearance="secondary" disabled={viewport === undefined} onClick={() => onViewport(undefined)}>
        {t("Reset Zoom")}
      </vscode-button>
    </>
  );
}
