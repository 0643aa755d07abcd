import { first } from './001-first.ts';
import { signIns } from './002-sign-ins.ts';
import { activities } from './003-activities.ts';
import { customizations } from './004-customizations.ts';
import { spentApprovals } from './005-spent-approvals.ts';
import { signInKeys } from './006-sign-in-keys.ts';
import { deployments } from './007-deployments.ts';
import { people } from './008-people.ts';
import { setup } from './009-setup.ts';
import { rights } from './010-rights.ts';
import { teams } from './011-teams.ts';
import { audit } from './012-audit.ts';
import { apiTokens } from './013-api-tokens.ts';
import { notes } from './014-notes.ts';
import { auditOutcomes } from './015-audit-outcomes.ts';
import { mcpState } from './016-mcp-state.ts';
import { writesOfTeams } from './017-writes-of-teams.ts';
import { keptTeams } from './018-kept-teams.ts';
import { printedTokens } from './019-printed-tokens.ts';
import { auditRegister } from './020-audit-register.ts';
import { auditDisclosures } from './021-audit-disclosures.ts';
import { auditSegments } from './022-audit-segments.ts';
import { preferences } from './023-preferences.ts';
import { cosignedRegister } from './024-cosigned-register.ts';
import { memberships } from './025-memberships.ts';
import { elevations } from './026-elevations.ts';
import { secondFactor } from './027-second-factor.ts';
import { groups } from './028-groups.ts';
import { scim } from './029-scim.ts';
import { mcpMarks } from './030-mcp-marks.ts';
import { clientRights } from './031-client-rights.ts';
import { factorSetup } from './032-factor-setup.ts';
import { approvals } from './033-approvals.ts';
import { auditClients } from './034-audit-clients.ts';
import { rightsWatches } from './035-rights-watches.ts';
import { approvalMails } from './036-approval-mails.ts';
import { auditValues } from './037-audit-values.ts';
import { noteReaders } from './038-note-readers.ts';
import { erasedAuthors } from './039-erased-authors.ts';
import { sessionDevices } from './040-session-devices.ts';
import { auditVersions } from './041-audit-versions.ts';
import { approvers } from './042-approvers.ts';
import { buriedMonths } from './043-buried-months.ts';
import { approvalResults } from './044-approval-results.ts';
import { plannedTrigger } from './045-planned-trigger.ts';
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
  teams,
  audit,
  apiTokens,
  notes,
  auditOutcomes,
  mcpState,
  writesOfTeams,
  keptTeams,
  printedTokens,
  auditRegister,
  auditDisclosures,
  auditSegments,
  preferences,
  cosignedRegister,
  memberships,
  elevations,
  secondFactor,
  groups,
  scim,
  mcpMarks,
  clientRights,
  factorSetup,
  approvals,
  auditClients,
  rightsWatches,
  approvalMails,
  auditValues,
  noteReaders,
  erasedAuthors,
  sessionDevices,
  auditVersions,
  approvers,
  buriedMonths,
  approvalResults,
  plannedTrigger,
];
