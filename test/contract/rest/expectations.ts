import { expect } from 'vitest';
import type { CallResult } from '../../helpers/rest-call.ts';

/** The envelope of an error. */
export function expectError({ status, json }: CallResult, expected: number, name?: string): void {
  expect({ status, json }).toMatchObject({
    status: expected,
    json: { errors: [{ status: expected, detail: expect.any(String), ...(name === undefined ? {} : { name }) }] },
  });
}

/** An answer from before any route: plain text. */
export function expectText({ status, headers }: Pick<CallResult, 'status' | 'headers'>, expected: number): void {
  const type = headers.get('content-type')?.split(';')[0];
  expect({ status, type }).toEqual({ status: expected, type: 'text/plain' });
}

export function idsOf({ json }: CallResult): readonly string[] {
  return (json as { data: { id: string }[] }).data.map(({ id }) => id);
}

export function idOf({ json }: CallResult): string {
  return (json as { data: { id: string } }).data.id;
}
