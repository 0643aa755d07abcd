/** How many different addresses each connection asks for before it begins again. */
const addressesPerConnection = 1000;
const customers = 50_000;
const statuses = ['draft', 'placed', 'paid', 'shipped', 'cancelled'];
const zone = 'timezone=Europe/Paris';

/** Random whole numbers from 0 to below `bound`, the same ones for the same seed (mulberry32). */
type Pick = (bound: number) => number;

function pickFrom(seed: number): Pick {
  let state = seed;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
}

/** A random page: 10 to 49 records, number 1 to 20, in either direction. */
function page(pick: Pick): string {
  return `page[size]=${10 + pick(40)}&page[number]=${1 + pick(20)}&sort=${pick(2) === 0 ? '-' : ''}id&${zone}`;
}

function statusAndTotal(pick: Pick): string {
  const conditions = [
    { field: 'status', operator: 'equal', value: statuses[pick(statuses.length)] },
    { field: 'total', operator: 'greater_than', value: pick(1500) },
  ];
  return encodeURIComponent(JSON.stringify({ aggregator: 'and', conditions }));
}

/** The address of one request of a scenario, by its name. */
const addressOf: Readonly<Record<string, (pick: Pick) => string>> = {
  get: (pick) => `/customers/${1 + pick(customers)}?fields[customers]=id,email,first_name,last_name&${zone}`,
  list: (pick) => `/customers?fields[customers]=id,email,first_name,last_name,country,balance,created_at&${page(pick)}`,
  'list-relation': (pick) => `/orders?fields[orders]=id,status,total,customer&fields[customer]=email&${page(pick)}`,
  'list-filter': (pick) => `/orders?fields[orders]=id,status,total&filters=${statusAndTotal(pick)}&${page(pick)}`,
};

/** The scenarios in which no address comes twice in a row. */
export const variedScenarios: readonly string[] = Object.keys(addressOf);

/** What one connection asks for, in order; each connection has an order of its own. */
export function variedAddresses(scenario: string, connection: number): readonly string[] {
  const address = addressOf[scenario];
  if (!address) throw new RangeError(`There is no varied form of "${scenario}".`);
  const pick = pickFrom(connection + 1);
  return Array.from({ length: addressesPerConnection }, () => address(pick));
}
