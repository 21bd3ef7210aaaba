import { useEffect, useState } from "preact/hooks";
import type { Viewport } from "../state/run-store.js";

/** A zoom asks for finer data once it has come to rest. */
const SETTLE_MS = 150;

/** The viewport as it last stood still. */
export function useSettled(viewport: Viewport | undefined): Viewport | undefined {
  const [settled, setSettled] = useState(viewport);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(viewport), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [viewport]);
  return settled;
}
