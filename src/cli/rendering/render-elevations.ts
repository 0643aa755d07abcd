import type { Elevation } from '#contracts/elevations';
import type { ListedElevations } from '#flows/people/elevate';
import { renderTable, singleLine } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';

export function renderElevations({ environment, elevations }: ListedElevations, terminal: Terminal): string {
  if (elevations.length === 0) return `Nobody takes a role for a time in ${environment}, as far as you may know.`;
  const rows = elevations.map(({ id, person, role, state, minutes, endsAt, mayDecide, reason }) => [
    String(id),
    person.email,
    role,
    mayDecide ? `${state}, yours to decide` : state,
    endsAt === null ? `${minutes} min` : minuteOf(endsAt),
    reason,
  ]);
  return renderTable(['ID', 'E-MAIL', 'ROLE', 'STATE', 'UNTIL', 'REASON'], rows, terminal);
}

/** What became of one elevation. */
export function renderElevation(elevation: Elevation, { resultStyle: style }: Terminal): string {
  const { id, person, environment, state, endsAt } = elevation;
  const what = `${style.bold(singleLine(person.email))} ${states[state]} the role ${style.bold(singleLine(elevation.role))} in ${environment}`;
  const until = state === 'active' && endsAt !== null ? `, until ${minuteOf(endsAt)}` : '';
  const next = {
    asked: ` Somebody has to agree: vendor-cloud elevations grant ${id} --env ${environment}`,
    active: ` Give it back: vendor-cloud elevations end ${id} --env ${environment}`,
  };
  return `${style.green('✔')} ${what}${until}.${state === 'asked' || state === 'active' ? next[state] : ''}`;
}

const states: Readonly<Record<Elevation['state'], string>> = {
  asked: 'asks for',
  active: 'has',
  refused: 'is refused',
  lapsed: 'got no answer for',
  ended: 'no longer has',
};

function minuteOf(at: string): string {
  return `${at.slice(0, 16).replace('T', ' ')} UTC`;
}
