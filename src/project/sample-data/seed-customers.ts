import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import { createRowWriter, portion, type RowWriter } from './row-writer.ts';
import { awkwardMoments, dateOnly, dayMs, momentBetween, timestamp } from './sample-times.ts';
import { cities, firstNames, lastNames, streets } from './sample-words.ts';
import { productCount } from './seed-products.ts';
import type { SeededRandom } from './seeded-random.ts';

export interface SampleCustomer {
  readonly id: number;
  readonly createdMs: number;
  readonly addressIds: readonly number[];
}

const opening = Date.UTC(2022, 0, 1);
const closing = Date.UTC(2023, 11, 31);
const oldestBirth = Date.UTC(1938, 0, 1);
const youngestBirth = Date.UTC(2006, 11, 31);

/** Customers with one or two addresses each, and carts for some. Yields after each portion. */
export function* seedCustomers(
  connection: SqliteConnection,
  random: SeededRandom,
  count: number,
): Generator<undefined, { customers: SampleCustomer[]; writers: RowWriter[] }, undefined> {
  const customerColumns = [
    'id',
    'email',
    'first_name',
    'last_name',
    'phone',
    'birth_date',
    'tier',
    'accepts_newsletter',
    'preferences',
    'created_at',
  ];
  const writer = createRowWriter(connection, 'customers', customerColumns);
  const addresses = createRowWriter(connection, 'addresses', [
    'id',
    'customer_id',
    'kind',
    'street',
    'city',
    'postal_code',
    'country',
  ]);
  const carts = createRowWriter(connection, 'carts', ['id', 'customer_id', 'token', 'content', 'updated_at']);
  const customers: SampleCustomer[] = [];
  for (let id = 1; id <= count; id++) {
    const [firstName, firstSlug] = random.pick(firstNames);
    const [lastName, lastSlug] = random.pick(lastNames);
    const createdMs = awkwardMoments[id - 1] ?? momentBetween(random, opening, closing);
    writer.write(
      id,
      `${firstSlug}.${lastSlug}.${id}@example.test`,
      firstName,
      lastName,
      random.chance(0.3)
        ? null
        : `+${random.integer(30, 48)} ${random.integer(100, 999)} ${random.integer(100_000, 999_999)}`,
      birthDate(random),
      tier(random),
      random.chance(0.4),
      random.chance(0.25)
        ? null
        : JSON.stringify({
            language: random.pick(['de', 'en', 'fr', 'ja']),
            channels: random.chance(0.5) ? ['mail'] : ['mail', 'sms'],
          }),
      timestamp(createdMs),
    );
    const addressIds = writeAddresses(addresses, random, id);
    if (random.chance(0.2)) writeCart(carts, random, id, createdMs);
    customers.push({ id, createdMs, addressIds });
    if (id % portion === 0) yield;
  }
  return { customers, writers: [writer, addresses, carts] };
}

function birthDate(random: SeededRandom): string | null {
  if (random.chance(0.1)) return null;
  return random.chance(0.01) ? '2000-02-29' : dateOnly(momentBetween(random, oldestBirth, youngestBirth));
}

function tier(random: SeededRandom): string {
  const share = random.fraction();
  return share < 0.7 ? 'bronze' : share < 0.93 ? 'silver' : 'gold';
}

function writeAddresses(addresses: RowWriter, random: SeededRandom, customerId: number): number[] {
  const kinds = random.chance(0.2) ? ['shipping', 'billing'] : ['shipping'];
  return kinds.map((kind) => {
    const id = addresses.count() + 1;
    const [city, country] = random.pick(cities);
    const postalCode = random.chance(0.05) ? null : String(random.integer(1_000, 99_999)).padStart(5, '0');
    addresses.write(
      id,
      customerId,
      kind,
      `${random.pick(streets)} ${random.integer(1, 180)}`,
      city,
      postalCode,
      country,
    );
    return id;
  });
}

function writeCart(carts: RowWriter, random: SeededRandom, customerId: number, createdMs: number): void {
  const items = Array.from({ length: random.integer(1, 3) }, () => ({
    productId: random.integer(1, productCount),
    quantity: random.integer(1, 4),
  }));
  const updatedMs = createdMs + random.integer(1, 500) * dayMs;
  carts.write(carts.count() + 1, customerId, random.uuid(), JSON.stringify({ items }), timestamp(updatedMs));
}
