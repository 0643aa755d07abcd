// Puts a plan into the comment of a pull request on GitHub: into the one that is there already, or into a new one.
import { readFileSync } from 'node:fs';

const marker = '<!-- vendor-cloud plan -->';
const { GITHUB_API_URL = 'https://api.github.com', GITHUB_REPOSITORY, GITHUB_TOKEN, PULL_REQUEST } = process.env;
const repository = `${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}`;
const fence = '~~~~~~';
const body = `${marker}\n${fence}text\n${readFileSync(process.argv[2] ?? '', 'utf8').trimEnd()}\n${fence}\n`;

async function call(method, url, content) {
  const answer = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${GITHUB_TOKEN}`, accept: 'application/vnd.github+json' },
    ...(content === undefined ? {} : { body: JSON.stringify(content) }),
    signal: AbortSignal.timeout(30_000),
  });
  if (answer.ok) return answer.json();
  process.stderr.write(
    `GitHub answered ${method} ${url} with ${answer.status}. The job needs the permission pull-requests: write.\n`,
  );
  process.exit(1);
}

/** A page has 100 comments at most; a pull request with more of them gets a new one. */
const comments = await call('GET', `${repository}/issues/${PULL_REQUEST}/comments?per_page=100`);
const own = comments.find((comment) => comment.body.startsWith(marker));
if (own) await call('PATCH', `${repository}/issues/comments/${own.id}`, { body });
else await call('POST', `${repository}/issues/${PULL_REQUEST}/comments`, { body });
