import { sql } from 'kysely';
import type { Store } from '../store/store.ts';
import { comparableEmail } from './chain-row.ts';

export interface Person {
  /** In the form that rows are found by. */
  readonly email: string;
  /** Of the account with this address. There is none for somebody who was only invited. */
  readonly ids: ReadonlySet<number>;
}

/** The person with an e-mail address, in any case. */
export async function personOf(db: Store['db'], given: string): Promise<Person> {
  const email = comparableEmail(given.trim());
  const users = await db
    .selectFrom('users')
    .select(['id', 'email'])
    .where(sql`lower(${sql.ref('email')})`, '=', email.toLowerCase())
    .execute();
  return { email, ids: new Set(users.filter((user) => comparableEmail(user.email) === email).map(({ id }) => id)) };
}
