/** Whose rights the page shows: `role …` or `person …`. It is in the address, so that a link shows the same. */
export interface RightsState {
  readonly of?: string;
}

/** The state that an address names. What the address has besides is left out. */
export function readRightsState({ of }: Readonly<Record<string, unknown>>): RightsState {
  return typeof of === 'string' && /^(role|person) ./.test(of) ? { of } : {};
}

/** Whose rights somebody has looked at last in an environment, on this machine. */
export function lastSeen(environment: string): string | undefined {
  return localStorage.getItem(placeOf(environment)) ?? undefined;
}

export function noteSeen(environment: string, of: string): void {
  localStorage.setItem(placeOf(environment), of);
}

function placeOf(environment: string): string {
  return `vendor-cloud last rights of ${environment}`;
}
