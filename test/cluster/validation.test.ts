// Every rule of every kind, asked of the real API server: what the tables of packages/api refuse is refused there
// with a sentence that names the field, and what they accept is accepted. Nothing is stored: all of it is a dry run
// with strict field validation.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RESOURCE_KINDS, customResourceDefinition } from '@herald/api';
import type { Cluster } from '@herald/lab';

import { ALL_CASES } from '../../packages/api/test/cases/all.ts';
import { manifest, type KindCases, type RefusedCase } from '../../packages/api/test/cases/case.ts';
import { ApiPool, type Answer } from '../support/api-pool.ts';
import { ensureHerald } from '../support/cluster-herald.ts';
import { CAN_RUN, sharedCluster } from '../support/shared-cluster.ts';

interface Refusal {
  readonly message: string;
  readonly details?: { readonly causes?: readonly { readonly field?: string; readonly message: string }[] };
}

interface Schema {
  readonly type?: string;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly 'x-kubernetes-validations'?: readonly { readonly message: string }[];
}

interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Schema } }[] };
  readonly status: {
    readonly conditions: readonly {
      readonly type: string;
      readonly status: string;
      readonly message: string;
    }[];
  };
}

/** What the API server says where the schema already refuses so much that it does not come to the rules. */
const UNCHECKED = 'some validation rules were not checked';

type Change = RefusedCase['change'];

const PLURALS: Readonly<Record<string, string>> = {
  BGPPeer: 'bgppeers',
  IPAddressPool: 'ipaddresspools',
  BGPAdvertisement: 'bgpadvertisements',
};

const written = ({ change }: Pick<RefusedCase, 'change'>): string =>
  JSON.stringify(change, (_, value: unknown) => value ?? 'nothing').slice(0, 120);

describe.skipIf(!CAN_RUN)('validation', () => {
  let cluster: Cluster;
  let api: ApiPool;
  let answers: ReadonlyMap<Change, Answer>;

  beforeAll(async () => {
    cluster = await sharedCluster();
    await ensureHerald(cluster);
    api = new ApiPool(cluster);
    const all = ALL_CASES.flatMap((of) =>
      [...of.accepted, ...of.refused.map(({ change }) => change)].map((change) => ({ of, change })),
    );
    const asked = all.map(async ({ of, change }) => [change, await ask(of, change)] as const);
    answers = new Map(await Promise.all(asked));
  });
  afterAll(async () => {
    api.close();
    await cluster.stop();
  });

  const ask = (of: KindCases, change: Change): Promise<Answer> =>
    api.ask({
      method: 'POST',
      path: `/apis/heraldbgp.io/v1alpha1/${PLURALS[of.kind]}?dryRun=All&fieldValidation=Strict`,
      body: { ...manifest(of, change), metadata: { name: 'validation-of-one-rule' } },
    });
  const answerTo = (change: Change): Answer => answers.get(change) ?? expect.fail('it was not asked');

  const definitions = async (): Promise<readonly Definition[]> => {
    const { items } = await api.must<{ items: readonly Definition[] }>({
      method: 'GET',
      path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    });
    return items.filter(({ metadata }) => metadata.name.endsWith('.heraldbgp.io'));
  };

  test('the API server has taken every kind: structural, established, within the cost that CEL may have', async () => {
    const conditions = (await definitions()).map(({ metadata, status }) => [
      metadata.name,
      ...status.conditions.map(({ type, status: holds }) => `${type}=${holds}`).sort(),
    ]);
    expect(conditions.sort((a, b) => String(a).localeCompare(String(b)))).toEqual(
      ['bgpadvertisements', 'bgppeers', 'heraldreplicas', 'ipaddresspools'].map((plural) => [
        `${plural}.heraldbgp.io`,
        'Established=True',
        'NamesAccepted=True',
      ]),
    );
  });

  test('no list is unbounded, which is what keeps the cost of the rules below the limit', async () => {
    const unbounded = (await definitions()).flatMap(({ metadata, spec }) =>
      nodesIn(spec.versions[0]?.schema.openAPIV3Schema ?? {}, metadata.name)
        .filter(({ schema }) => schema.type === 'array' && schema.maxItems === undefined)
        .map(({ path }) => path),
    );
    expect(unbounded).toEqual([]);
  });

  test('every rule has refused something here, with its sentence', () => {
    const said = [...answers.values()].map(({ body }) => (body as Partial<Refusal>).message ?? '');
    expect(sentences.length).toBeGreaterThan(30);
    expect(sentences.filter((sentence) => !said.some((message) => message.includes(sentence)))).toEqual([]);
  });

  describe.each(ALL_CASES)('$kind', (of: KindCases) => {
    test.each(of.accepted.map((change) => ({ name: written({ change }), change })))(
      'takes $name',
      ({ change }) => {
        expect(answerTo(change)).toMatchObject({ status: 201 });
      },
    );

    const cases = of.refused.map((one) => ({ name: written(one), one }));
    const refused = cases.filter(({ one }) => one.storedAnyway === undefined);

    test.each(refused)('refuses $name', ({ one }) => {
      const { status, body } = answerTo(one.change);
      expect([400, 422], JSON.stringify(body)).toContain(status);
      expect(places(body as Refusal), (body as Refusal).message).toContain(one.field);
    });

    // What the schema alone refuses is Kubernetes' to say.
    test.each(refused.filter(({ one }) => isOurs(one)))('says why of $name', ({ one }) => {
      const { message } = answerTo(one.change).body as Refusal;
      expect(message).toContain(message.includes(UNCHECKED) ? UNCHECKED : one.says);
    });

    test.each(cases.filter(({ one }) => one.storedAnyway === true))(
      'takes what needs more than a rule to see: $name',
      ({ one }) => {
        expect(answerTo(one.change)).toMatchObject({ status: 201 });
      },
    );
  });
});

const sentences = RESOURCE_KINDS.flatMap((kind) => {
  const { versions } = customResourceDefinition(kind).spec as unknown as Definition['spec'];
  return nodesIn(versions[0]?.schema.openAPIV3Schema ?? {}, '').flatMap(
    ({ schema }) => schema['x-kubernetes-validations']?.map(({ message }) => message) ?? [],
  );
});

function nodesIn(schema: Schema, path: string): { readonly path: string; readonly schema: Schema }[] {
  const children = Object.entries(schema.properties ?? {});
  return [
    { path, schema },
    ...children.flatMap(([name, child]) => nodesIn(child, `${path}.${name}`)),
    ...(schema.items === undefined ? [] : nodesIn(schema.items, `${path}[*]`)),
  ];
}

/** Whether one of our rules says it, with the field's path at the beginning. */
function isOurs({ field, says }: RefusedCase): boolean {
  const path = field.replaceAll(/\[\d+\]/g, '[*]');
  return sentences.some((sentence) => sentence.startsWith(`${path} `) && sentence.includes(says));
}

/** Every field that the refusal is about, as our own sentences write it. */
function places({ message, details }: Refusal): string[] {
  const strict = [...message.matchAll(/unknown field "([^"]+)"/g)].map(([, field = '']) => field);
  return [...strict, ...(details?.causes ?? []).map(({ field = '' }) => field)];
}
