import { t } from "@vscode/l10n";
import type { Viewport } from "../state/run-store.js";
import { usePageTime } from "./page-time.js";
import { zoomed } from "./viewport.js";
import { Button, IconButton } from "../components/button.js";

/** Zoom for those without a wheel, and the way back. */
export function ZoomButtons({ whole }: { readonly whole: Viewport }) {
  const { viewport } = usePageTime();
  const all = viewport.value === undefined;
  const zoom = (factor: number) => () => {
    viewport.value = zoomed(viewport.value ?? whole, factor, whole);
  };
  return (
    <>
      <IconButton
        icon="zoom-in"
        label={t("Zoom in")}
        title={t("Zoom in (drag over a chart, or Ctrl+wheel; Shift+drag moves; on a focused chart + and -, arrows, 0)")}
        onClick={zoom(0.5)}
      />
      <IconButton icon="zoom-out" label={t("Zoom out")} disabled={all} onClick={zoom(2)} />
      <Button text={t("Reset Zoom")} disabled={all} onClick={() => (viewport.value = undefined)} />
    </>
  );
}
