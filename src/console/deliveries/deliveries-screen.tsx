import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import type { Me } from '#contracts/identity';
import { Empty, Failure, look, Missing, Notice, Title } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { deliveriesQuery, isUnfinished } from '../model/deliveries.ts';
import { mayReadHostLog, mayReadProject, maySetVariables, meQuery } from '../model/me.ts';
import { type DeliveryPart, deliveryParts } from './deliveries-state.ts';
import { DeploymentSteps } from './deployment-steps.tsx';
import { VersionsPart } from './versions-part.tsx';

const HostsPart = lazy(async () => ({ default: (await import('./hosts-part.tsx')).HostsPart }));
const HostLogPart = lazy(async () => ({ default: (await import('./host-log-part.tsx')).HostLogPart }));
const VariablesPart = lazy(async () => ({ default: (await import('./variables-part.tsx')).VariablesPart }));

/** What an environment serves, and what may serve in it. */
export function DeliveriesScreen() {
  const messages = useMessages();
  const { environment, part } = useParams({ from: '/$environment/deliveries/$part/{-$version}' });
  const { data: person } = useSuspenseQuery(meQuery);
  const { deliveries } = messages;
  const known = deliveryParts.find((each) => each === part);
  if (!known) return <Missing />;
  if (!mayReadProject(person)) return <Empty title={deliveries.mayNot} why={deliveries.mayNotWhy} />;
  const mayRead = mayReadPart(known, person, environment);
  return (
    <>
      <div className={look.head}>
        <Title>{messages.screens.deliveries}</Title>
        {deliveryParts
          .filter((each) => mayReadPart(each, person, environment))
          .map((each) => (
            <Link
              key={each}
              to="/$environment/deliveries/$part/{-$version}"
              params={{ environment, part: each, version: undefined }}
              aria-current={each === known ? 'page' : undefined}
              className={look.tab}
            >
              {deliveries.parts[each]}
            </Link>
          ))}
      </div>
      <Progress environment={environment} />
      {mayRead ? (
        <Suspense fallback={<p className={look.late}>{messages.loading}</p>}>
          {known === 'versions' && <VersionsPart environment={environment} person={person} />}
          {known === 'hosts' && <HostsPart environment={environment} />}
          {known === 'log' && <HostLogPart environment={environment} />}
          {known === 'variables' && <VariablesPart environment={environment} person={person} />}
        </Suspense>
      ) : (
        <Empty title={deliveries.mayNotPart} why={deliveries.mayNotPartWhy} />
      )}
    </>
  );
}

function mayReadPart(part: DeliveryPart, person: Me, environment: string): boolean {
  if (part === 'log') return mayReadHostLog(person);
  return part !== 'variables' || maySetVariables(person, environment);
}

/** The deployment that is on its way, step by step, or the newest one when it was refused. */
function Progress({ environment }: { readonly environment: string }) {
  const { deliveries } = useMessages();
  const { data, error, refetch } = useQuery(deliveriesQuery(environment));
  const running = data?.deployments.findLast(isUnfinished);
  const newest = data?.deployments[0];
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!running && newest?.state === 'failed') {
    return (
      <Notice title={deliveries.ended.failed(newest.version)}>
        <p>{newest.note}</p>
        <p>{deliveries.keepsServing}</p>
      </Notice>
    );
  }
  if (!running) return null;
  return (
    <Notice kind="success" title={deliveries.deploying(running.version)}>
      <DeploymentSteps environment={environment} number={running.number} />
    </Notice>
  );
}
