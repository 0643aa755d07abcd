// The floor: the least any server can do for the benchmark's requests. node:http, one prepared statement a request,
// JSON.stringify of the same JSON:API body. No auth, no permissions, no planning. DATABASE_URL, PORT.
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
const list = 'select id,email,first_name,last_name,country,balance,created_at from customers order by id desc limit ';

async function answer(url) {
  if (url.includes('/count'))
    return { count: Number((await pool.query({ name: 'count', text: 'select count(*) c from customers' })).rows[0].c) };
  if (url.includes('/orders')) {
    const { rows } = url.includes('filters')
      ? await pool.query({
          name: 'filter',
          text: 'select id,status,total,customer_id from orders where status=$1 and total>$2 order by id desc limit 15',
          values: ['paid', 1000],
        })
      : await pool.query({
          name: 'orders',
          text: 'select o.id,o.status,o.total,o.customer_id,c.email from orders o left join customers c on c.id=o.customer_id order by o.id desc limit 15',
        });
    if (url.includes('filters')) return { jsonapi: { version: '1.0' }, data: rows.map(order) };
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
  const size = url.includes('page[size]=100') ? 100 : 15;
  return {
    jsonapi: { version: '1.0' },
    data: (await pool.query({ name: `list${size}`, text: list + size })).rows.map(customer),
  };
}

http
  .createServer(async (req, res) => {
    try {
      const body = JSON.stringify(await answer(decodeURIComponent(req.url)));
      res.writeHead(200, { 'content-type': 'application/json' }).end(body);
    } catch (error) {
      res.writeHead(500).end(String(error));
    }
  })
  .listen(Number(process.env.PORT ?? 4311), '127.0.0.1');
