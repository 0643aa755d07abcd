import { expect, it } from 'vitest';
import { renderTokenPage } from '#platform/api-tokens/token-page';

const foreign = `"><script>alert('1')</script>&amp;`;

it('the page of the tokens shows what people wrote as text, wherever it stands', () => {
  const html = renderTokenPage({
    project: foreign,
    projects: [foreign, `${foreign}2`],
    tokens: (['active', 'revoked'] as const).map((state, id) => ({
      id,
      name: foreign,
      hint: foreign,
      scopes: ['all'],
      allowedCidrs: [],
      createdAt: '2026-01-01T00:00:00.000Z',
      createdBy: { id: 1, name: foreign, email: foreign },
      lastUsedAt: '2026-01-02T00:00:00.000Z',
      lastUsedAddress: foreign,
      expiresAt: null,
      expiresSoon: false,
      revokedAt: null,
      state,
    })),
    formToken: foreign,
    creationKey: foreign,
    problem: foreign,
    made: { name: foreign, secret: foreign },
    typed: { name: foreign, scopes: [] },
  });
  expect(html.match(/<script/g)).toHaveLength(1);
  expect(html).toContain('<script src="/copy.js" defer></script>');
  expect(html).not.toContain(`alert('1')`);
  expect(html.match(/alert\(/g)?.length).toBeGreaterThan(15);
});
