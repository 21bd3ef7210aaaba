import { nearViewport } from "../state/near-viewport.js";

let observer: IntersectionObserver | undefined;

/**
 * Shows a canvas only while it is near what is seen. For each frame of the page Chromium copies all canvases that are
 * shown, also those that are as they were: 0.06 ms each, and tiles and charts within its own margin are thirty. A
 * transparent one is left out, and a screen reader still knows it.
 * @returns ends that
 */
export function showNearViewport(canvas: HTMLCanvasElement): () => void {
  const own = (observer ??= new IntersectionObserver(showOrNot, nearViewport()));
  own.observe(canvas);
  return () => own.unobserve(canvas);
}

function showOrNot(entries: readonly IntersectionObserverEntry[]): void {
  for (const { target, isIntersecting } of entries) target.classList.toggle("out-of-sight", !isIntersecting);
}
