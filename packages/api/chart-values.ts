// What may be set in the values of the Helm chart: a JSON schema. The part `settings` is the schema of the settings,
// without what the chart decides itself; the rest is written here. Everything else is refused with its name, so a
// value that was misspelt never goes unnoticed. Reads and writes nothing.

type Schema = Readonly<Record<string, unknown>>;

/** They follow from how the chart runs Herald: its listeners, its folders, where its objects come from. */
const DECIDED_BY_THE_CHART = new Set([
  'source',
  'stateDir',
  'bgpd',
  'http',
  'podListener',
  'exchange',
  'handOver',
]);

const NAME = { type: 'string', maxLength: 253, pattern: '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$' };
const NAME_OR_NONE = { type: 'string', maxLength: 253, pattern: '^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$' };
const SWITCH = { type: 'boolean' };
const TEXTS = { type: 'object', additionalProperties: { type: 'string' } };
const PORT = { type: 'integer', minimum: 1024, maximum: 65535 };
/** Objects of the Kubernetes API, which the API server checks. */
const OBJECTS = { type: 'array', items: { type: 'object' } };
const QUANTITIES = { type: 'object', additionalProperties: { type: ['string', 'number'] } };
const RESOURCES = object({ requests: QUANTITIES, limits: QUANTITIES, claims: OBJECTS });

export function chartValuesSchema(settings: Schema): Schema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the Herald chart',
    ...object({
      ...packaging(),
      settings: settingsOfTheChart(settings),
      ...running(),
      ...network(),
      ...objects(),
    }),
    required: ['image', 'settings', 'placement', 'podListener'],
  };
}

function packaging(): Schema {
  return {
    image: object({
      repository: { type: 'string', maxLength: 255, pattern: '^[^@\\s]*$' },
      tag: { type: 'string', maxLength: 128, pattern: '^[\\w.-]*$' },
      digest: { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' },
      pullPolicy: { type: 'string', enum: ['Always', 'IfNotPresent', 'Never'] },
    }),
    imagePullSecrets: { type: 'array', items: object({ name: NAME }) },
  };
}

function running(): Schema {
  return {
    placement: object({
      profile: { type: 'string', enum: ['ControlPlane', 'OneNode', 'DedicatedWorkers'] },
      nodeSelector: TEXTS,
      tolerations: OBJECTS,
    }),
    replicas: { type: ['integer', 'null'], minimum: 1, maximum: 9 },
    priorityClassName: NAME_OR_NONE,
    minReadySeconds: { type: 'integer', minimum: 0, maximum: 3600 },
    terminationGracePeriodSeconds: { type: 'integer', minimum: 10, maximum: 3600 },
    resources: object({ controller: RESOURCES, bgpd: RESOURCES }),
    podDisruptionBudget: object({ enabled: SWITCH }),
    podAnnotations: TEXTS,
    podLabels: TEXTS,
  };
}

function network(): Schema {
  const mode = { type: 'string', enum: ['SelfSigned', 'ExistingSecret', 'Disabled'] };
  return {
    podListener: object({ port: PORT, tls: object({ mode, secretName: NAME_OR_NONE }) }),
    exchange: object({ secretName: NAME_OR_NONE }),
    networkPolicy: object({ enabled: SWITCH, from: OBJECTS, egress: OBJECTS }),
    flowControl: object({ enabled: SWITCH }),
  };
}

function objects(): Schema {
  const reader = { ...object({ namespace: NAME, name: NAME }), required: ['namespace', 'name'] };
  const interval = { type: 'string', pattern: '^[0-9]+(ms|s|m)$' };
  return {
    secretNames: { type: 'array', items: NAME, uniqueItems: true },
    rbac: object({ create: SWITCH }),
    serviceAccount: object({ create: SWITCH, name: NAME_OR_NONE, annotations: TEXTS }),
    crds: object({ enabled: SWITCH }),
    defaultAdvertisement: object({ enabled: SWITCH }),
    metrics: object({
      readers: { type: 'array', items: reader },
      serviceMonitor: object({ enabled: SWITCH, labels: TEXTS, interval }),
    }),
    // Helm puts it there for charts that contain others.
    global: { type: 'object' },
  };
}

function settingsOfTheChart(settings: Schema): Schema {
  const properties = Object.entries(settings['properties'] as Schema);
  return {
    ...settings,
    $schema: undefined,
    properties: Object.fromEntries(properties.filter(([name]) => !DECIDED_BY_THE_CHART.has(name))),
  };
}

function object(properties: Schema): Schema {
  return { type: 'object', additionalProperties: false, properties };
}
