import { strict as assert } from 'node:assert';
import type { ServedProject } from './serve-project.ts';

const fields = {
  orders: ['revision', 'label', 'daysToShip'],
  customers: ['displayName', 'initials'],
  products: ['title'],
  reviews: ['stars'],
  payments: ['net'],
  addresses: ['oneLine'],
};

/** By collection: what each record of the segment has to look like. */
const segments: Record<string, Record<string, (record: Attributes) => boolean>> = {
  orders: { 'To ship': ({ status }) => status === 'paid', 'With a coupon': ({ coupon_code }) => coupon_code !== null },
  customers: {
    Gold: ({ tier }) => tier === 'gold',
    'Newsletter without phone': ({ phone, accepts_newsletter }) => !phone && accepts_newsletter === true,
  },
  products: { 'Out of sale': ({ is_active }) => is_active === false },
  reviews: { Bad: ({ rating }) => Number(rating) < 3 },
  payments: { 'By card': ({ method }) => method === 'card' },
};

const actions = ['orders/0/add-up', 'orders/1/quote', 'customers/0/greet', 'products/0/count'];

type Attributes = Readonly<Record<string, unknown>>;
interface Listed {
  readonly data: readonly { readonly id: string; readonly attributes: Attributes }[];
}

/** Every one of the twenty customizations is live and right: otherwise the reloads that are timed would be of less. */
export async function checkShop({ send }: ServedProject): Promise<void> {
  for (const [collection, names] of Object.entries(fields)) {
    const { data } = (await send(
      'GET',
      `/${collection}?fields[${collection}]=${names.join(',')}&page[size]=5`,
    )) as Listed;
    assert.equal(data.length, 5);
    for (const { attributes } of data) for (const name of names) assert.ok(name in attributes, `${collection}.${name}`);
  }
  for (const [collection, rules] of Object.entries(segments)) {
    for (const [segment, isRight] of Object.entries(rules)) {
      const target = `/${collection}?segment=${encodeURIComponent(segment)}&page[size]=5`;
      const { data } = (await send('GET', target)) as Listed;
      assert.ok(data.length > 0, `The segment "${segment}" is empty.`);
      for (const { attributes } of data) assert.ok(isRight(attributes), `${segment}: ${JSON.stringify(attributes)}`);
    }
  }
  for (const action of actions) {
    const body = { data: { attributes: { ids: action.startsWith('products') ? [] : ['1'], values: {} } } };
    const answer = (await send('POST', `/_actions/${action}`, body)) as { readonly success?: string };
    assert.ok(answer.success, `${action}: ${JSON.stringify(answer)}`);
  }
}
