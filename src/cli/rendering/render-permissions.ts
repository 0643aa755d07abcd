import { fieldRightOf, type RoleField } from '#contracts/field-rights';
import { collectionRights, everyOther, type RoleAction } from '#contracts/permission-file';
import { judgedAfterDays, leftOutInWords, type RefusedByRights } from '#contracts/rights';
import { conditionInWords, elevationInWords } from '#contracts/rights-in-words';
import type { AppliedPermissions } from '#flows/permissions/change-permissions';
import type { ComparedPermissions, ListedPermissions, SuggestedPermissions } from '#flows/permissions/list-permissions';
import type { WatchedPermissions } from '#flows/permissions/watch-permissions';
import type { LeftOut, RightsComparison } from '#flows/platform-access/rights-of-environment';
import { cutTextFor, renderTable, singleLine } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Roles, collections and actions, one a row. */
export function renderPermissions({ roles, environment }: ListedPermissions, terminal: Terminal): string {
  if (!roles)
    return `Nobody has set rights in ${environment}. Write permissions.json, then: vendor-cloud permissions apply --env ${environment}`;
  const cutText = cutTextFor(terminal);
  const cut = (name: string) => cutText(name, 20);
  const rows = Object.entries(roles).flatMap(([role, { collections, elevation }]) => [
    ...(elevation ? [[cut(role), '', `may be taken ${elevationInWords(elevation)}`]] : []),
    ...Object.entries(collections).flatMap(([name, rights]) => [
      [cut(role), cut(starred(name)), collectionRights.filter((right) => rights[right]).join(' ') || 'nothing'],
      ...(rights.scope
        ? [[cut(role), cut(starred(name)), `only records where ${conditionInWords(rights.scope)}`]]
        : []),
      ...Object.entries(rights.actions ?? {}).map(([action, given]) => [
        cut(role),
        cut(starred(name)),
        `${starred(action)}: ${actionInWords(given)}`,
      ]),
      ...Object.entries(rights.fields ?? {}).map(([field, rule]) => [
        cut(role),
        cut(starred(name)),
        `${starred(field)}: ${fieldInWords(rule)}`,
      ]),
    ]),
  ]);
  if (rows.length === 0) return `No role may do anything in ${environment}.`;
  return renderTable(['ROLE', 'COLLECTION', 'MAY'], rows, terminal);
}

/** What nobody used, one sentence a line. */
export function renderSuggestion(suggested: SuggestedPermissions, { resultStyle }: Terminal): string {
  const { environment, days, acts, people, removed, file, unjudged, logSince } = suggested;
  const seen = `The log of ${environment} has ${counted(acts, 'act')} of ${people === 1 ? '1 person' : `${people} people`} in the last ${counted(days, 'day')}.`;
  const early = unjudged.length > 0 ? ['', ...unjudgedLines(unjudged, logSince)] : [];
  if (removed.length === 0) {
    const verdict = unjudged.length > 0 ? 'Nothing can be taken away yet.' : 'They used all that their roles may do.';
    return [`${seen}\n${resultStyle.green('✔')} ${verdict}`, ...early].join('\n');
  }
  return [
    `${seen} Nobody used this:`,
    ...removed.map((sentence) => resultStyle.red(`- ${singleLine(sentence)}`)),
    ...early,
    '',
    file === null
      ? 'Write the rest to a file: add --output permissions.json. Charts, approvals and the values of fields are not in the log.'
      : `${resultStyle.green('✔')} ${singleLine(file)} has the rest. Look at it, then: vendor-cloud permissions diff --env ${environment}`,
  ].join('\n');
}

/** What nobody used, and is too new to take away. */
export function unjudgedLines(
  unjudged: SuggestedPermissions['unjudged'],
  logSince: SuggestedPermissions['logSince'],
): readonly string[] {
  const log = logSince === null ? 'The log is empty.' : `The log begins at ${minuteOf(logSince)} UTC.`;
  return [
    `Nobody used this either, but it is not judged before it and the log are ${judgedAfterDays} days old. ${log}`,
    ...unjudged.map(
      ({ sentence, setAt }) => `- ${singleLine(sentence)}${setAt === null ? '' : ` (set at ${minuteOf(setAt)} UTC)`}`,
    ),
  ];
}

/** The changes, and what people did that they would have refused. */
export function renderComparedPermissions(compared: ComparedPermissions, terminal: Terminal): string {
  const { refused } = compared;
  const changes = renderComparison(compared, terminal);
  if (!refused) return changes;
  return `${changes}\n\n${renderRefused(refused, `of the last ${counted(refused.days, 'day')}`, terminal)}`;
}

/** What people did and a file would have refused. */
function renderRefused({ acts, refusals, more }: RefusedByRights, when: string, terminal: Terminal): string {
  const seen = `${counted(acts, 'act')} ${when}`;
  if (refusals.length === 0) return `${terminal.resultStyle.green('✔')} The file allows everything: ${seen}.`;
  const cut = cutTextFor(terminal);
  const rows = refusals.map(({ person, client, because, acts: times, lastAt }) => [
    minuteOf(lastAt),
    cut(client === null ? person.email : `${person.email} (${client})`, 24),
    String(times),
    singleLine(because),
  ]);
  return [
    `Of ${seen}, the file would have refused these${more > 0 ? `, and ${more} more` : ''}:`,
    renderTable(['LAST (UTC)', 'WHO', 'ACTS', 'WHY'], rows, terminal),
  ].join('\n');
}

/** What is watched, what it was compared with, and what it would have refused. */
export function renderWatchedPermissions(
  { environment, change, watch }: WatchedPermissions,
  terminal: Terminal,
): string {
  const { resultStyle } = terminal;
  const envFlag = `--env ${environment}`;
  if (!watch) {
    return `Nobody watches ${environment}. Begin: vendor-cloud permissions watch permissions.next.json ${envFlag}`;
  }
  if (change === 'started') {
    return `${resultStyle.green('✔')} ${environment} is watched. Nobody is refused anything. Look at it later: vendor-cloud permissions watch ${envFlag}`;
  }
  const { startedBy, startedAt, revision, isSchemaChanged, problems, refused } = watch;
  const isMoved = revision.now !== revision.atStart;
  const notes = [
    ...(isMoved ? [`The rights have changed since: revision ${revision.now}, and not ${revision.atStart}.`] : []),
    ...(isSchemaChanged ? ['The schema has changed since.'] : []),
    ...problems.map((problem) => singleLine(problem)),
  ];
  return [
    `${singleLine(startedBy.name)} began at ${minuteOf(startedAt)} UTC.`,
    ...notes.map((note) => resultStyle.yellow(`! ${note}`)),
    renderRefused(refused, `since ${minuteOf(refused.since)}`, terminal),
    '',
    change === 'ended'
      ? `${resultStyle.green('✔')} The watch of ${environment} has ended.`
      : `Apply the file: vendor-cloud permissions apply --watched ${envFlag}`,
  ].join('\n');
}

function minuteOf(time: string): string {
  return time.slice(0, 16).replace('T', ' ');
}

function counted(number: number, what: string): string {
  return number === 1 ? `1 ${what}` : `${number} ${what}s`;
}

/** The changes, one difference per line. */
function renderComparison(comparison: RightsComparison, { resultStyle }: Terminal): string {
  const { environment, revision, removed, added } = comparison;
  if (removed.length + added.length === 0) {
    const done = `${resultStyle.green('✔')} ${environment} has the rights of permissions.json (revision ${revision}).`;
    return [done, ...leftOutLines(comparison, resultStyle)].join('\n');
  }
  return differences(comparison, resultStyle);
}

export function renderChangedPermissions(result: AppliedPermissions, { resultStyle }: Terminal): string {
  const { environment, revision, isApplied } = result;
  if (!isApplied) return 'Nothing was changed.';
  return `${resultStyle.green('✔')} Set in ${environment} (revision ${revision}).`;
}

export function renderAppliedPermissions(result: AppliedPermissions, { resultStyle }: Terminal): string {
  const { environment, revision, isApplied } = result;
  if (!isApplied) return 'Nothing was changed.';
  return `${resultStyle.green('✔')} ${environment} has the rights of permissions.json (revision ${revision}).`;
}

/** The lines of a difference, taken away before given, and the people that it leaves out. */
export function differences(
  { removed, added, ...leftOut }: Pick<RightsComparison, 'removed' | 'added'> & People,
  style: Terminal['style'],
): string {
  return [
    ...removed.map((sentence) => style.red(`- ${singleLine(sentence)}`)),
    ...added.map((sentence) => style.green(`+ ${singleLine(sentence)}`)),
    ...leftOutLines(leftOut, style),
  ].join('\n');
}

type People = Pick<LeftOut, 'leftOut' | 'rolesLeftOut'>;

/** The people that a `permissions.json` leaves out, one line each. */
export function leftOutLines(people: People, style: Terminal['style']): readonly string[] {
  return leftOutInWords(people).map((sentence) => style.yellow(`! ${singleLine(sentence)}`));
}

function actionInWords({ trigger, needsApproval, approve, selfApprove }: RoleAction): string {
  const given = [
    ...conditional('trigger', trigger),
    ...conditional('with approval', needsApproval),
    ...conditional('approve', approve),
    ...(selfApprove ? ['approve own'] : []),
  ];
  return given.join(', ') || 'nothing';
}

function fieldInWords(rule: RoleField): string {
  const { read, filter, write } = fieldRightOf(rule);
  if (read === false) return 'hidden';
  const shown = read === true ? 'read' : `read by the mask ${read}`;
  return [shown, ...(filter ? ['filter'] : []), ...(write ? ['write'] : [])].join(', ');
}

function conditional(what: string, right: RoleAction['trigger']): readonly string[] {
  if (right === undefined || right === false) return [];
  return [right === true ? what : `${what} where ${conditionInWords(right.where)}`];
}

function starred(name: string): string {
  return name === everyOther ? '(every other)' : name;
}
