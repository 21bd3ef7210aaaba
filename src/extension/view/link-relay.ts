import { t } from "@vscode/l10n";
import { UserError } from "../../core/text/errors.js";
import type { FollowState, LinkState, ViewEvents } from "../../protocol/index.js";

/** A run view as the relay knows it. */
export interface LinkMember {
  /** In front. */
  readonly isActive: boolean;
  /** Tells its page, where that is there: one that is built anew asks. */
  tell<K extends "link" | "followLinked" | "toggleLink">(name: K, payload: ViewEvents[K]): void;
}

/** Passes on between linked run views what they show. It keeps the latest, for pages that are built anew. */
export class LinkRelay {
  private readonly members = new Set<LinkMember>();
  private readonly linked = new Set<LinkMember>();
  private latest: FollowState | undefined;

  add(member: LinkMember): void {
    this.members.add(member);
  }

  remove(member: LinkMember): void {
    this.members.delete(member);
    this.leave(member);
  }

  /**
   * Links all views that are open, showing what this one shows; or lets this one go. @throws UserError when no other
   * is open
   */
  link(member: LinkMember, linked: boolean, state: FollowState): void {
    if (!linked) return this.leave(member);
    this.refuseAlone();
    for (const one of this.members) this.linked.add(one);
    this.latest = state;
    this.publish();
    this.follow(member, state);
  }

  /** A view shows something else now. */
  follow(member: LinkMember, state: FollowState): void {
    if (!this.linked.has(member)) return;
    this.latest = state;
    for (const other of this.linked) if (other !== member) other.tell("followLinked", state);
  }

  /** As the button of the view in front, which alone knows what it shows. @throws UserError when there is no other */
  toggleActive(): void {
    const active = [...this.members].find(({ isActive }) => isActive);
    if (active === undefined)
      throw new UserError(t("no run is open in the active editor"), t("Open an artifact first."), {
        code: "nothing-to-link",
      });
    if (!this.linked.has(active)) this.refuseAlone();
    active.tell("toggleLink", {});
  }

  /** What a page that is built anew begins with. */
  stateOf(member: LinkMember): LinkState {
    if (!this.linked.has(member)) return { linked: false, others: 0 };
    return {
      linked: true,
      others: this.linked.size - 1,
      ...(this.latest === undefined ? {} : { latest: this.latest }),
    };
  }

  /** One alone has nothing to follow. */
  private leave(member: LinkMember): void {
    if (!this.linked.delete(member)) return;
    const left = this.linked.size < 2 ? [...this.linked] : [];
    if (this.linked.size < 2) this.linked.clear();
    if (this.linked.size === 0) this.latest = undefined;
    for (const one of [member, ...left]) one.tell("link", this.stateOf(one));
    this.publish();
  }

  private refuseAlone(): void {
    if (this.members.size < 2)
      throw new UserError(t("no other run is open"), t("Open another artifact beside this one, then link them."), {
        code: "nothing-to-link",
      });
  }

  private publish(): void {
    for (const one of this.linked) one.tell("link", this.stateOf(one));
  }
}
