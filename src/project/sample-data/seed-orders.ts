import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import { createRowWriter, portion, type RowWriter } from './row-writer.ts';
import { awkwardMoments, dayMs, minuteMs, momentBetween, timestamp } from './sample-times.ts';
import { orderNotes } from './sample-words.ts';
import type { SampleCustomer } from './seed-customers.ts';
import { couponCodes, decimal, type SampleProduct } from './seed-products.ts';
import type { SeededRandom } from './seeded-random.ts';

const lastOrder = Date.UTC(2025, 11, 31, 23, 59, 59);
const statuses = ['delivered', 'delivered', 'delivered', 'shipped', 'paid', 'pending', 'cancelled'] as const;

/** Four orders a customer on average, a few customers having many; with their items and payments. Yields after each portion. */
export function* seedOrders(
  connection: SqliteConnection,
  random: SeededRandom,
  customers: readonly SampleCustomer[],
  products: readonly SampleProduct[],
): Generator<undefined, RowWriter[], undefined> {
  const orderColumns = [
    'id',
    'reference',
    'customer_id',
    'shipping_address_id',
    'coupon_code',
    'status',
    'total',
    'currency',
    'note',
    'ordered_at',
    'shipped_at',
  ];
  const orders = createRowWriter(connection, 'orders', orderColumns);
  const items = createRowWriter(connection, 'order_items', ['order_id', 'product_id', 'quantity', 'unit_price']);
  const payments = createRowWriter(connection, 'payments', [
    'id',
    'order_id',
    'method',
    'amount',
    'fee',
    'external_id',
    'paid_at',
  ]);
  for (let id = 1; id <= customers.length * 4; id++) {
    const customer = customers[Math.floor(random.fraction() * random.fraction() * customers.length)];
    if (!customer) continue;
    const orderedMs =
      awkwardMoments[id - 1] ?? momentBetween(random, Math.max(customer.createdMs, Date.UTC(2023, 0, 1)), lastOrder);
    const status = random.pick(statuses);
    const basket = chooseItems(random, products);
    const totalCents = basket.reduce((sum, { quantity, priceCents }) => sum + quantity * priceCents, 0);
    orders.write(
      id,
      `${new Date(orderedMs).getUTCFullYear()}-${String(id).padStart(6, '0')}`,
      customer.id,
      random.chance(0.9) ? (customer.addressIds[0] ?? null) : null,
      random.chance(0.12) ? random.pick(couponCodes) : null,
      status,
      decimal(totalCents),
      random.pick(['EUR', 'EUR', 'EUR', 'USD', 'CHF']),
      random.chance(0.08) ? random.pick(orderNotes) : null,
      timestamp(orderedMs),
      status === 'shipped' || status === 'delivered' ? timestamp(orderedMs + random.integer(1, 6) * dayMs) : null,
    );
    for (const { productId, quantity, priceCents } of basket) items.write(id, productId, quantity, decimal(priceCents));
    if (status !== 'pending' && status !== 'cancelled') writePayment(payments, random, id, totalCents, orderedMs);
    if (id % portion === 0) yield;
  }
  return [orders, items, payments];
}

function chooseItems(random: SeededRandom, products: readonly SampleProduct[]) {
  const chosen = new Map<
    number,
    { readonly productId: number; readonly quantity: number; readonly priceCents: number }
  >();
  const wanted = random.pick([1, 1, 2, 3]);
  while (chosen.size < wanted) {
    const product = products[random.integer(0, products.length - 1)];
    if (!product) break;
    // Prices were lower in the past for some.
    const priceCents = random.chance(0.2) ? Math.ceil(product.priceCents * 0.9) : product.priceCents;
    chosen.set(product.id, { productId: product.id, quantity: random.pick([1, 1, 1, 2, 3, 10]), priceCents });
  }
  return [...chosen.values()];
}

function writePayment(
  payments: RowWriter,
  random: SeededRandom,
  orderId: number,
  totalCents: number,
  orderedMs: number,
): void {
  const method = random.pick(['card', 'card', 'transfer', 'wallet']);
  const fee = method === 'card' ? (totalCents * 29) / 100_000 : null;
  payments.write(
    payments.count() + 1,
    orderId,
    method,
    decimal(totalCents),
    fee === null ? null : fee.toFixed(4),
    method === 'transfer' ? null : `pay_${random.uuid().replaceAll('-', '').slice(0, 24)}`,
    timestamp(orderedMs + random.integer(1, 600) * minuteMs),
  );
}
