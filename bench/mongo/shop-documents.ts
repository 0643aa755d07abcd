import type { Documents } from './open-peer.ts';

const statuses = ['draft', 'paid', 'sent', 'lost'];

/** Customers, each with five orders, whose address is an object. */
export function shopDocuments(orderCount: number): Documents {
  const customers = Array.from({ length: orderCount / 5 }, (_, index) => ({
    _id: index + 1,
    email: `c${index + 1}@example.test`,
    country: ['FR', 'DE', 'IT'][index % 3],
  }));
  const orders = Array.from({ length: orderCount }, (_, index) => ({
    _id: index + 1,
    status: statuses[index % statuses.length],
    total: (index * 37) % 1000,
    customer_id: (index % customers.length) + 1,
    address: { city: `c${index % 50}`, zip: String(10_000 + (index % 90)) },
  }));
  return { customers, orders };
}
