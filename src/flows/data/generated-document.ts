import type { SeededRandom } from '#project/index';

interface DocumentQuestion {
  /** The name of the column, which suggests what the document is about. */
  readonly name: string;
  readonly number: number;
  readonly random: SeededRandom;
  /** ISO 8601. */
  readonly moment: string;
}

type Document = (question: DocumentQuestion) => unknown;

const words = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord', 'grove', 'haven', 'isle', 'juniper'] as const;
const cities = ['Lyon', 'Berlin', 'Porto', 'Oslo', 'Ghent', 'Turin', 'Krakow', 'Graz'] as const;
const streets = ['Mill Lane', 'Station Road', 'High Street', 'Park Avenue', 'Canal Walk'] as const;

/** What documents look like, by the names of their columns. The last one is for all others. */
const documents: readonly (readonly [RegExp, Document])[] = [
  [
    /address/i,
    ({ random, number }) => ({
      street: `${number % 200} ${random.pick(streets)}`,
      city: random.pick(cities),
      country: random.pick(['FR', 'DE', 'PT', 'NO', 'IT']),
    }),
  ],
  [
    /setting|preference|option|config/i,
    ({ random }) => ({
      language: random.pick(['en', 'fr', 'de']),
      theme: random.pick(['light', 'dark']),
      notifications: { email: random.chance(0.7), push: random.chance(0.4) },
    }),
  ],
  [/tag|label|keyword|categor|skill/i, ({ random }) => someOf(random, words)],
  [
    /location|position|geo|coord/i,
    ({ random }) => ({ lat: random.integer(-90_000, 90_000) / 1000, lng: random.integer(-180_000, 180_000) / 1000 }),
  ],
  [
    /items|lines|products/i,
    ({ random }) =>
      someOf(random, words).map((name) => ({
        name,
        quantity: random.integer(1, 5),
        price: random.integer(100, 9999) / 100,
      })),
  ],
  [
    /event|history|log/i,
    ({ random, moment }) =>
      someOf(random, ['created', 'changed', 'sent', 'read'] as const).map((what) => ({ at: moment, what })),
  ],
  [
    /dimension|size/i,
    ({ random }) => ({ width: random.integer(5, 80), height: random.integer(5, 80), depth: random.integer(5, 80) }),
  ],
  [
    /(?:)/,
    ({ random, number, moment }) => ({
      label: `${random.pick(words)} ${number}`,
      source: random.pick(['web', 'phone', 'import']),
      count: random.integer(0, 20),
      isActive: random.chance(0.7),
      at: moment,
    }),
  ],
];

/** A document as one of its column might look. */
export function generatedDocument(question: DocumentQuestion): unknown {
  const [, document] = documents.find(([name]) => name.test(question.name)) ?? [];
  return document?.(question);
}

/** One to three of them, each once. */
export function someOf<Item>(random: SeededRandom, items: readonly [Item, ...Item[]]): readonly Item[] {
  const picked = Array.from({ length: random.integer(1, Math.min(3, items.length)) }, () => random.pick(items));
  return [...new Set(picked)];
}
