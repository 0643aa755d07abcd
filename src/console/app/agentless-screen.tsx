import { Link } from '@tanstack/react-router';
import type { Me } from '#contracts/identity';
import { Empty } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { reachableEnvironments } from '../model/me.ts';

/** No agent shows the records of an environment. */
export function AgentlessScreen({ person, environment }: { readonly person: Me; readonly environment: string }) {
  const { agentless } = useMessages();
  return (
    <Empty title={agentless.title(environment)} why={agentless.why}>
      {reachableEnvironments(person).map(({ name }) => (
        <Link key={name} to="/$environment" params={{ environment: name }}>
          {agentless.other(name)}
        </Link>
      ))}
    </Empty>
  );
}
