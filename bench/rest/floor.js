// The floor: the least any server can do for the benchmark's requests. node:http, one prepared statement a request,
// JSON.stringify of the same JSON:API body. No auth, no permissions, no planning, and no record of writes. DATABASE_URL, PORT.
import http from 'node:http';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
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
const listed = 'select id,email,first_name,last_name,country,balance,created_at from customers';
const joined =
  'select o.id,o.status,o.total,o.customer_id,c.email from orders o left join customers c on c.id=o.customer_id';
const filtered = 'select id,status,total,customer_id from orders where status=$1 and total>$2';

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
  const query = isFixed
    ? { name: `${name}-${direction}-${size}`, text: ordered + size, values }
    : {
        name: `${name}-${direction}`,
        text: `${ordered}$${values.length + 1} offset $${values.length + 2}`,
        values: [...values, size, (number - 1) * size],
      };
  return (await pool.query(query)).rows;
}

async function answer(url) {
  if (url.includes('/count'))
    return { count: Number((await pool.query({ name: 'count', text: 'select count(*) c from customers' })).rows[0].c) };
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
    const { rows } = await pool.query({
      name: 'get',
      text: 'select id,email,first_name,last_name from customers where id=$1',
      values: [one[1]],
    });
    return { jsonapi: { version: '1.0' }, data: customer(rows[0]) };
  }
  return { jsonapi: { version: '1.0' }, data: (await rowsOf(url, 'list', listed, 'id')).map(customer) };
}

async function write(req) {
  let text = '';
  for await (const part of req) text += part;
  const { id, attributes } = JSON.parse(text).data;
  const { rows } = await pool.query({
    name: 'write',
    text: 'update customers set country=$2 where id=$1 returning *',
    values: [id, attributes.country],
  });
  return { jsonapi: { version: '1.0' }, data: customer(rows[0]) };
}

async function respond(req, res) {
  try {
    const body = JSON.stringify(await (req.method === 'PUT' ? write(req) : answer(decodeURIComponent(req.url))));
    res.writeHead(200, { 'content-type': 'application/json' }).end(body);
  } catch (error) {
    res.writeHead(500).end(String(error));
  }
}

http.createServer((req, res) => void respond(req, res)).listen(Number(process.env.PORT ?? 4311), '127.0.0.1');
