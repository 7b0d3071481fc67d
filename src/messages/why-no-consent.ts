const noConsent = "its entry under removed: does not count, because";

/** Why an entry under `removed:` does not consent to the deletion that it asks for. */
export const whyNoConsent = {
  not_committed: "its entry under removed: is consent once it is committed",
  not_in_git: `${noConsent} its file is in no git repository`,
  not_literal: `${noConsent} a variable or a template makes its address: write the address out`,
  not_new: `${noConsent} the inventory does not hold the address, and the entry was there at the last apply`,
  not_in_this_commit: `${noConsent} before the first apply only the commit that adds an entry consents`,
  no_commit_recorded: `${noConsent} the last apply recorded no commit, so the entry may be older`,
  history_unknown: `${noConsent} this clone lacks the commits that show whether it is new: fetch them with  git fetch --unshallow`,
  rolled_back: `${noConsent} this commit does not contain that of the last apply`,
  undecided: `${noConsent} two inventories disagree and neither has been chosen yet: hostform inventory shows both`,
  inventory_unread: `${noConsent} the inventory could not be read where it is kept`,
  no_inventory: `${noConsent} no inventory is kept`,
};

export type WhyNoConsent = keyof typeof whyNoConsent;
