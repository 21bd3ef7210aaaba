/**
 * What is near what is seen: it is asked for, drawn and shown before one has scrolled to it. The document is named as
 * the root, because the page in an editor's frame has no margin without it.
 */
export const nearViewport = (): IntersectionObserverInit => ({ root: document, rootMargin: "200px" });
