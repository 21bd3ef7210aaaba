import { t } from "@vscode/l10n";
import { UserError } from "../../core/text/user-error.js";
import type { FollowState, LinkState } from "../../protocol/index.js";

/** A run view as the relay knows it. */
export interface LinkMember {
  /** It has been linked or let go, or the number of those linked with it has changed. */
  onLink(state: LinkState): void;
  /** Another of those linked shows something else now. */
  onFollow(state: FollowState): void;
  /** In front. */
  isActive(): boolean;
  /** Links it with the others, or lets it go: it alone knows what it shows. */
  toggle(): void;
}

/** A member's place with the relay. */
export interface LinkSeat {
  /** What a page that is built anew begins with. */
  current(): LinkState;
  /**
   * Links all views that are open, showing what this one shows; or lets this one go. @throws UserError when no other
   * is open
   */
  link(linked: boolean, state: FollowState): void;
  /** This view shows something else now. */
  follow(state: FollowState): void;
  dispose(): void;
}

/** Passes on between linked run views what they show. It keeps the latest, for pages that are built anew. */
export class LinkRelay {
  private readonly members = new Set<LinkMember>();
  private readonly linked = new Set<LinkMember>();
  private latest: FollowState | undefined;

  seat(member: LinkMember): LinkSeat {
    this.members.add(member);
    return {
      current: () => this.stateOf(member),
      link: (linked, state) => (linked ? this.join(member, state) : this.leave(member)),
      follow: (state) => {
        if (!this.linked.has(member)) return;
        this.latest = state;
        for (const other of this.linked) if (other !== member) other.onFollow(state);
      },
      dispose: () => {
        this.members.delete(member);
        this.leave(member);
      },
    };
  }

  /** As the button of the view in front. @throws UserError when none is, or no other is open */
  toggleActive(): void {
    const active = [...this.members].find((member) => member.isActive());
    if (active === undefined)
      throw new UserError(t("no run is open in the active editor"), t("Open an artifact first."), {
        code: "nothing-to-link",
      });
    if (!this.linked.has(active)) this.refuseAlone();
    active.toggle();
  }

  private join(member: LinkMember, state: FollowState): void {
    this.refuseAlone();
    this.latest = state;
    for (const one of this.members) this.linked.add(one);
    this.publish();
    for (const other of this.linked) if (other !== member) other.onFollow(state);
  }

  /** One alone has nothing to follow. */
  private leave(member: LinkMember): void {
    if (!this.linked.delete(member)) return;
    const left = this.linked.size < 2 ? [...this.linked] : [];
    if (this.linked.size < 2) this.linked.clear();
    if (this.linked.size === 0) this.latest = undefined;
    if (this.members.has(member)) member.onLink(this.stateOf(member));
    for (const one of left) one.onLink(this.stateOf(one));
    this.publish();
  }

  private refuseAlone(): void {
    if (this.members.size < 2)
      throw new UserError(t("no other run is open"), t("Open another artifact beside this one, then link them."), {
        code: "nothing-to-link",
      });
  }

  private publish(): void {
    for (const one of this.linked) one.onLink(this.stateOf(one));
  }

  private stateOf(member: LinkMember): LinkState {
    if (!this.linked.has(member)) return { linked: false, others: 0 };
    return {
      linked: true,
      others: this.linked.size - 1,
      ...(this.latest === undefined ? {} : { latest: this.latest }),
    };
  }
}
