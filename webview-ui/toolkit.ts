/*
 * The only module that touches @vscode/webview-ui-toolkit (deprecated upstream): what replaces it is written here.
 * Only the components in use are registered.
 */
import {
  provideVSCodeDesignSystem,
  vsCodeButton,
  vsCodeDropdown,
  vsCodeOption,
  vsCodeProgressRing,
} from "@vscode/webview-ui-toolkit";
import type { ComponentChildren, Ref } from "preact";

/** Registers the custom elements; called once, before the first render. */
export function registerToolkit(): void {
  provideVSCodeDesignSystem().register(vsCodeButton(), vsCodeDropdown(), vsCodeOption(), vsCodeProgressRing());
}

interface ElementAttributes<T extends HTMLElement = HTMLElement> {
  ref?: Ref<T>;
  key?: string | number;
  children?: ComponentChildren;
  id?: string;
  class?: string;
  title?: string | undefined;
  disabled?: boolean;
  "aria-label"?: string;
  "aria-haspopup"?: "dialog" | "listbox" | "menu";
  "aria-expanded"?: boolean;
  "aria-pressed"?: boolean | undefined;
  onClick?: (event: MouseEvent & { currentTarget: T }) => void;
}

/** A dropdown carries its choice in `value`. */
export type ValueElement = HTMLElement & { value: string };

declare module "preact" {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- the only way to declare custom elements to JSX
  namespace JSX {
    interface IntrinsicElements {
      "vscode-button": ElementAttributes & {
        appearance?: "primary" | "secondary" | "icon";
        tabindex?: number | undefined;
      };
      "vscode-dropdown": ElementAttributes<ValueElement> & {
        position?: "above" | "below";
        onChange?: (event: Event & { currentTarget: ValueElement }) => void;
      };
      "vscode-option": ElementAttributes & { value: string };
      "vscode-progress-ring": ElementAttributes;
    }
  }
}
