import { useSuspenseQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { CompanySignOnSettings } from '#contracts/company-sign-on';
import type { GroupList } from '#contracts/groups';
import type { ScimToken } from '#contracts/scim-tokens';
import { Empty, Facts, look, Notice, Table } from '../design/controls.tsx';
import { companyQuery } from '../model/access.ts';
import { timeText } from '../values/time-text.ts';
import styles from './access.module.css';
import { useAccessTexts } from './access-texts.ts';

/** How people of the company come in. Whoever runs the platform sets it; this screen shows it. */
export function SignOnPart() {
  const texts = useAccessTexts();
  const { data } = useSuspenseQuery(companyQuery);
  const { provider, groups, keptAdministrators, tokens, scimUrl } = data;
  return (
    <>
      <Part title={texts.provider}>
        {provider ? (
          <ProviderFacts provider={provider} />
        ) : (
          <Empty title={texts.noProvider} why={texts.noProviderWhy} />
        )}
      </Part>
      <Part title={texts.groups}>
        {keptAdministrators.length > 0 && (
          <Notice kind="warning" title={texts.keptAdministrators}>
            <p>
              <bdi>{keptAdministrators.join(', ')}</bdi>
            </p>
          </Notice>
        )}
        {groups.length === 0 ? <p className={look.small}>{texts.noGroups}</p> : <GroupTable groups={groups} />}
      </Part>
      <Part title={texts.scim}>
        <Facts facts={[[texts.scimUrl, scimUrl]]} />
        {tokens.length === 0 ? <p className={look.small}>{texts.noScim}</p> : <ScimTable tokens={tokens} />}
      </Part>
    </>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title} className={look.form}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function ProviderFacts({ provider }: { readonly provider: NonNullable<CompanySignOnSettings['provider']> }) {
  const texts = useAccessTexts();
  const { issuer, clientId, domains, isOnly, secondFactors, groupsClaim, scopes, callbackUrl } = provider;
  return (
    <Facts
      facts={[
        [texts.issuer, issuer],
        [texts.clientId, clientId],
        [texts.callbackUrl, callbackUrl],
        [texts.domains, domains.join(', ')],
        [texts.passwords, isOnly ? texts.passwordsOff : texts.passwordsOn],
        [texts.secondFactors, secondFactors.join(', ') || texts.never],
        [texts.groupsClaim, groupsClaim],
        ...(scopes.length > 0 ? [[texts.scopesAsked, scopes.join(' ')] as const] : []),
      ]}
    />
  );
}

function GroupTable({ groups }: Pick<GroupList, 'groups'>) {
  const { columns, administrators } = useAccessTexts();
  return (
    <Table titles={[columns.group, columns.roles, columns.teams, columns.people]}>
      {groups.map(({ group, roles, teams, makesAdministrator, people }) => (
        <tr key={group}>
          <th scope="row">
            <bdi>{group}</bdi>
            {makesAdministrator && <div className={styles['marked']}>{administrators}</div>}
          </th>
          <td>
            <bdi>{roles.join(', ')}</bdi>
          </td>
          <td>
            <bdi>{teams.join(', ')}</bdi>
          </td>
          <td>{people}</td>
        </tr>
      ))}
    </Table>
  );
}

function ScimTable({ tokens }: { readonly tokens: readonly ScimToken[] }) {
  const texts = useAccessTexts();
  const { columns } = texts;
  return (
    <Table titles={[columns.name, columns.roles, columns.teams, columns.used, columns.state]}>
      {tokens.map(({ id, name, hint, role, team, lastUsedAt, revokedAt, lastRefusal }) => (
        <tr key={id} data-inactive={revokedAt !== null}>
          <th scope="row">
            <bdi>{name}</bdi> <code>…{hint}</code>
          </th>
          <td>
            <bdi>{role}</bdi>
          </td>
          <td>
            <bdi>{team}</bdi>
          </td>
          <td>{lastUsedAt === null ? texts.never : timeText(lastUsedAt)}</td>
          <td>
            {revokedAt === null ? texts.states.active : `${texts.states.revoked} · ${timeText(revokedAt)}`}
            {lastRefusal && (
              <div className={styles['marked']}>
                {texts.lastRefusal(timeText(lastRefusal.at))} <bdi>{lastRefusal.reason}</bdi>
              </div>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}
