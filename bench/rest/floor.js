// The floor: the least any server can do for the benchmark's requests. node:http, one prepared statement a request,
// JSON.stringify of the same JSON:API body. No auth, no permissions, no planning, and no record of writes. DATABASE_URL, PORT.
import http from 'node:http';

const { DATABASE_URL, PORT } = process.env;
const engine = DATABASE_URL.slice(0, DATABASE_URL.indexOf(':'));
const select = await (engine === 'postgres' ? onPostgres() : engine === 'sqlite' ? onSqlite() : onMysqlFamily());
const mark = (position) => (engine === 'postgres' ? `$${position}` : '?');

/** Every way to an engine takes the name of a statement, its text and its values, and gives the rows. */
async function onPostgres() {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
  return async (name, text, values = []) => (await pool.query({ name, text, values })).rows;
}

async function onMysqlFamily() {
  const { default: mysql } = await import('mysql2/promise');
  const uri = `mysql${DATABASE_URL.slice(engine.length)}`;
  const pool = mysql.createPool({ uri, connectionLimit: 10, timezone: 'Z' });
  // The driver binds numbers as doubles, which these servers refuse for a page.
  return async (_name, text, values = []) => (await pool.execute(text, values.map(String)))[0];
}

async function onSqlite() {
  const { default: BetterSqlite3 } = await import('better-sqlite3');
  const database = new BetterSqlite3(DATABASE_URL.slice('sqlite:'.length), { readonly: true });
  const prepared = new Map();
  return async (name, text, values = []) => {
    const statement = prepared.get(name) ?? database.prepare(text);
    prepared.set(name, statement);
    return statement.all(...values);
  };
}

const related = (type, id, names) =>
  Object.fromEntries(
    names.map((n) => [n, { links: { related: { href: `/service/${type}/${id}/relationships/${n}` } } }]),
  );
const customer = (row) => ({
  type: 'customers',
  id: String(row.id),
  attributes: row,
  relationships: related('customers', row.id, ['addresses', 'orders', 'reviews']),
});
const order = (row) => ({
  type: 'orders',
  id: String(row.id),
  attributes: { id: row.id, status: row.status, total: row.total },
  relationships: {
    customer: { data: { type: 'customers', id: String(row.customer_id) } },
    ...related('orders', row.id, ['products']),
  },
});
/** SQLite keeps amounts as numbers; the same body has texts. */
const amount = (column, from = '') =>
  engine === 'sqlite' ? `printf('%.2f',${from}${column}) as ${column}` : from + column;
const listed = `select id,email,first_name,last_name,country,${amount('balance')},created_at from customers`;
const joined = `select o.id,o.status,${amount('total', 'o.')},o.customer_id,c.email from orders o left join customers c on c.id=o.customer_id`;
const filtered = `select id,status,${amount('total')},customer_id from orders where status=${mark(1)} and orders.total>${mark(2)}`;

/**
 * Rows of a page: by a statement that says the first page of 15 or 100 in its text, as the fixed addresses ask for it, else
 * by one that takes any page.
 */
async function rowsOf(url, name, text, column, values = []) {
  const size = Number(/page\[size\]=(\d+)/.exec(url)[1]);
  const number = Number(/page\[number\]=(\d+)/.exec(url)[1]);
  const direction = url.includes('sort=-id') ? 'desc' : 'asc';
  const ordered = `${text} order by ${column} ${direction} limit `;
  const isFixed = number === 1 && (size === 15 || size === 100);
  if (isFixed) return select(`${name}-${direction}-${size}`, ordered + size, values);
  const paged = `${ordered}${mark(values.length + 1)} offset ${mark(values.length + 2)}`;
  return select(`${name}-${direction}`, paged, [...values, size, (number - 1) * size]);
}

async function answer(url) {
  if (url.includes('/count'))
    return { count: Number((await select('count', 'select count(*) c from customers'))[0].c) };
  if (url.includes('filters')) {
    const [status, total] = JSON.parse(/filters=(\{.*?\})&/.exec(url)[1]).conditions.map(({ value }) => value);
    const rows = await rowsOf(url, 'filter', filtered, 'id', [status, total]);
    return { jsonapi: { version: '1.0' }, data: rows.map(order) };
  }
  if (url.includes('/orders')) {
    const rows = await rowsOf(url, 'orders', joined, 'o.id');
    const included = new Map(
      rows.map((row) => [
        row.customer_id,
        {
          type: 'customers',
          id: String(row.customer_id),
          attributes: { id: row.customer_id, email: row.email },
          relationships: related('customers', row.customer_id, ['addresses', 'orders', 'reviews']),
        },
      ]),
    );
    return { jsonapi: { version: '1.0' }, data: rows.map(order), included: [...included.values()] };
  }
  const one = /customers\/(\d+)\?/.exec(url);
  if (one) {
    const text = `select id,email,first_name,last_name from customers where id=${mark(1)}`;
    const [row] = await select('get', text, [Number(one[1])]);
    return { jsonapi: { version: '1.0' }, data: customer(row) };
  }
  return { jsonapi: { version: '1.0' }, data: (await rowsOf(url, 'list', listed, 'id')).map(customer) };
}

/** On PostgreSQL only. */
async function write(req) {
  let text = '';
  for await (const part of req) text += part;
  const { id, attributes } = JSON.parse(text).data;
  const update = 'update customers set country=$2 where id=$1 returning *';
  const [row] = await select('write', update, [id, attributes.country]);
  return { jsonapi: { version: '1.0' }, data: customer(row) };
}

async function respond(req, res) {
  try {
    const body = JSON.stringify(await (req.method === 'PUT' ? write(req) : answer(decodeURIComponent(req.url))));
    res.writeHead(200, { 'content-type': 'application/json' }).end(body);
  } catch (error) {
    res.writeHead(500).end(String(error));
  }
}

http.createServer((req, res) => void respond(req, res)).listen(Number(PORT), '127.0.0.1');
