import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiToken } from '#contracts/api-tokens';
import type { Me } from '#contracts/identity';
import { Button, Empty, look, Notice, Table } from '../design/controls.tsx';
import { apiTokensQuery } from '../model/access.ts';
import { mayManageTokens } from '../model/me.ts';
import { SessionList } from '../people/session-list.tsx';
import { timeText } from '../values/time-text.ts';
import styles from './access.module.css';
import { useAccessTexts } from './access-texts.ts';
import { CreateTokenDialog, RevokeTokenDialog, RotateTokenDialog } from './token-dialogs.tsx';
import { warningOf } from './token-form.ts';

/** The tokens of programs, for those who manage them, and what the person is signed in with. */
export function TokensPart({ person }: { readonly person: Me }) {
  const texts = useAccessTexts();
  return (
    <>
      {mayManageTokens(person) && <ApiTokens project={person.project} />}
      <SessionList title={texts.sessions} />
    </>
  );
}

/** What somebody does with tokens. */
type Deed =
  | { readonly kind: 'create'; readonly token?: undefined }
  | { readonly kind: 'rotate' | 'revoke'; readonly token: ApiToken };

function ApiTokens({ project }: { readonly project: string }) {
  const texts = useAccessTexts();
  const { data: tokens } = useSuspenseQuery(apiTokensQuery(project));
  const [deed, setDeed] = useState<Deed>();
  const active = tokens.filter(({ state }) => state === 'active');
  const over = tokens.filter(({ state }) => state !== 'active');
  const close = () => setDeed(undefined);
  return (
    <section aria-label={texts.programTokens} className={look.form}>
      <div className={look.row}>
        <h2 className={look.wide}>{texts.programTokens}</h2>
        <Button look="primary" data-key="n" onClick={() => setDeed({ kind: 'create' })}>
          {texts.create}
        </Button>
      </div>
      <TokenWarnings tokens={active} />
      {active.length === 0 ? (
        <Empty title={texts.noTokens} why={texts.noTokensWhy} />
      ) : (
        <TokenTable tokens={active} onDeed={setDeed} />
      )}
      {over.length > 0 && <EndedTokens tokens={over} />}
      {deed?.kind === 'create' && <CreateTokenDialog project={project} onClose={close} />}
      {deed?.kind === 'rotate' && <RotateTokenDialog project={project} token={deed.token} onClose={close} />}
      {deed?.kind === 'revoke' && <RevokeTokenDialog project={project} token={deed.token} onClose={close} />}
    </section>
  );
}

function TokenWarnings({ tokens }: { readonly tokens: readonly ApiToken[] }) {
  const texts = useAccessTexts();
  const [now] = useState(Date.now);
  return (['ends soon', 'unused'] as const).map((warning) => {
    const names = tokens.filter((token) => warningOf(token, now) === warning).map(({ name }) => name);
    if (names.length === 0) return null;
    return (
      <Notice key={warning} kind="warning" title={texts.warnings[warning].title}>
        <p>
          <bdi>{names.join(', ')}</bdi>
        </p>
        <p>{texts.warnings[warning].next}</p>
      </Notice>
    );
  });
}

interface TokenTableProps {
  readonly tokens: readonly ApiToken[];
  readonly onDeed: (deed: Deed) => void;
}

function TokenTable({ tokens, onDeed }: TokenTableProps) {
  const texts = useAccessTexts();
  const { columns } = texts;
  return (
    <Table titles={[columns.name, columns.may, columns.ends, columns.used, columns.made]} hasDeeds>
      {tokens.map((token) => (
        <tr key={token.id}>
          <th scope="row">
            <bdi>{token.name}</bdi> <code>…{token.hint}</code>
          </th>
          <td>
            {token.scopes.map((scope) => texts.scopes[scope]).join(', ')}
            {token.allowedCidrs.length > 0 && (
              <div className={look.small}>{texts.from(token.allowedCidrs.join(', '))}</div>
            )}
          </td>
          <td>{token.expiresAt === null ? texts.never : timeText(token.expiresAt)}</td>
          <td>
            {token.lastUsedAt === null ? texts.never : timeText(token.lastUsedAt)}
            {token.lastUsedAddress && <div className={look.small}>{texts.from(token.lastUsedAddress)}</div>}
          </td>
          <td>
            <bdi>{token.createdBy.name}</bdi>
          </td>
          <td>
            <span className={styles['deeds']}>
              <Button aria-label={texts.rotateOf(token.name)} onClick={() => onDeed({ kind: 'rotate', token })}>
                {texts.rotate}
              </Button>
              <Button
                look="danger"
                aria-label={texts.revokeOf(token.name)}
                onClick={() => onDeed({ kind: 'revoke', token })}
              >
                {texts.revoke}
              </Button>
            </span>
          </td>
        </tr>
      ))}
    </Table>
  );
}

function EndedTokens({ tokens }: { readonly tokens: readonly ApiToken[] }) {
  const texts = useAccessTexts();
  const { columns } = texts;
  return (
    <details>
      <summary>{texts.ended(String(tokens.length))}</summary>
      <ul className={look.list}>
        {tokens.map(({ id, name, hint, state, revokedAt, expiresAt, lastUsedAt }) => (
          <li key={id} className={look.small}>
            <bdi>{name}</bdi> <code>…{hint}</code> · {texts.states[state]} · {timeText(revokedAt ?? expiresAt ?? '')} ·{' '}
            {columns.used}: {lastUsedAt === null ? texts.never : timeText(lastUsedAt)}
          </li>
        ))}
      </ul>
    </details>
  );
}
