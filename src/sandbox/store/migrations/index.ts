import { first } from './001-first.ts';
import { signIns } from './002-sign-ins.ts';
import { activities } from './003-activities.ts';
import { customizations } from './004-customizations.ts';
import { spentApprovals } from './005-spent-approvals.ts';
import { signInKeys } from './006-sign-in-keys.ts';
import { deployments } from './010-deployments.ts';
import { people } from './020-people.ts';
import { rights } from './030-rights.ts';
import { setup } from './040-setup.ts';
import type { Migration } from './migration.ts';

/** In the order in which a store takes them; how many it took is its version. */
export const migrations: readonly Migration[] = [
  first,
  signIns,
  activities,
  customizations,
  spentApprovals,
  signInKeys,
  deployments,
  people,
  setup,
  rights,
];
