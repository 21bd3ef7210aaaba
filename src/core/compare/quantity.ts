import type { Quantity } from "./types.js";

/** How far objectives are met: asked for by the user, and the more the better. */
export function isAttainment(quantity: Quantity): boolean {
  return quantity === "goodput" || quantity.startsWith("share_below");
}
