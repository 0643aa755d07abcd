import { describe, expect, it } from 'vitest';
import { assertPlanned, planIdOf } from '#flows/plan/plan-id';

const now = { environment: 'eu-production', base: 12, variables: 3, contentDigest: 'ab'.repeat(32) };

describe('a plan', () => {
  it('has an id that holds as long as nothing changes', () => {
    const id = planIdOf(now);
    expect(id).toBe('eu-production-12-3-abababababababab');
    expect(() => assertPlanned(id, now)).not.toThrow();
    const first = { ...now, base: null };
    expect(() => assertPlanned(planIdOf(first), first)).not.toThrow();
  });

  it.each([
    ['another deployment is live', { base: 13 }, 'deployment 12 was live, and deployment 13 is now'],
    ['nothing is live any more', { base: null }, 'deployment 12 was live, and nothing is now'],
    ['the variables have changed', { variables: 4 }, 'the variables have changed'],
    ['the code has changed', { contentDigest: 'cd'.repeat(32) }, 'the code or what belongs to it has changed'],
    ['it is for another environment', { environment: 'staging' }, 'the environment "eu-production"'],
  ])('is refused when %s', (_what, change, reason) => {
    expect(() => assertPlanned(planIdOf(now), { ...now, ...change })).toThrow(
      expect.objectContaining({ code: 'PLAN_STALE', message: expect.stringContaining(reason) }),
    );
  });

  it.each(['', 'production', 'production-1-2-xyz', 'production-1-2-abababababababab0'])('has no id like "%s"', (id) => {
    expect(() => assertPlanned(id, now)).toThrow(expect.objectContaining({ code: 'USAGE_INVALID' }));
  });
});
