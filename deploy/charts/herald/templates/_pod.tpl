{{/* Parts of pods that the Deployment and the hooks share. */}}

{{/* Pod Security "restricted". */}}
{{- define "herald.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "herald.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* What the service account's admission would mount into every container; bgpd must not have it. */}}
{{- define "herald.tokenVolume" -}}
name: api-access
projected:
  defaultMode: 0440
  sources:
    - serviceAccountToken: { path: token, expirationSeconds: 3607 }
    - configMap: { name: kube-root-ca.crt, items: [{ key: ca.crt, path: ca.crt }] }
    - downwardAPI:
        items: [{ path: namespace, fieldRef: { apiVersion: v1, fieldPath: metadata.namespace } }]
{{- end -}}

{{- define "herald.tokenMount" -}}
name: api-access
mountPath: /var/run/secrets/kubernetes.io/serviceaccount
readOnly: true
{{- end -}}

{{/* Required: one replica a node. Preferred: in different zones. */}}
{{- define "herald.affinity" -}}
{{- $profile := .Values.placement.profile -}}
podAntiAffinity:
  requiredDuringSchedulingIgnoredDuringExecution:
    - topologyKey: kubernetes.io/hostname
      labelSelector:
        matchLabels: {{- include "herald.selector" . | nindent 10 }}
  preferredDuringSchedulingIgnoredDuringExecution:
    - weight: 100
      podAffinityTerm:
        topologyKey: topology.kubernetes.io/zone
        labelSelector:
          matchLabels: {{- include "herald.selector" . | nindent 12 }}
{{- if ne $profile "OneNode" }}
nodeAffinity:
  requiredDuringSchedulingIgnoredDuringExecution:
    nodeSelectorTerms:
      - matchExpressions:
          - key: {{ ternary "node-role.kubernetes.io/control-plane" "heraldbgp.io/dedicated" (eq $profile "ControlPlane") }}
            operator: Exists
{{- end }}
{{- end -}}

{{- define "herald.tolerations" -}}
{{- if eq .Values.placement.profile "DedicatedWorkers" }}
- { key: heraldbgp.io/dedicated, operator: Exists }
{{- else }}
- { key: node-role.kubernetes.io/control-plane, operator: Exists, effect: NoSchedule }
{{- end }}
{{- with .Values.placement.tolerations }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The settings of the user and what follows from how the chart runs Herald. */}}
{{- define "herald.settings" -}}
{{- $listener := dict "port" (int .Values.podListener.port) -}}
{{- if include "herald.hasTls" . -}}
{{- $listener = merge $listener (dict "certificate" "/etc/herald-tls/tls.crt" "key" "/etc/herald-tls/tls.key") -}}
{{- end -}}
{{- $exchange := dict "keyFile" "/etc/herald-exchange/key" -}}
{{- /* What is left of the grace period is for the Lease, the sessions and the last requests. */ -}}
{{- $handOver := dict "patience" (printf "%ds" (max 0 (sub (int .Values.terminationGracePeriodSeconds) 25))) -}}
{{- $chosen := dict "source" (dict "kind" "kubernetes") "podListener" $listener -}}
{{- $chosen = merge $chosen (dict "exchange" $exchange "handOver" $handOver) -}}
{{- mustToPrettyJson (merge $chosen .Values.settings) -}}
{{- end -}}

{{- define "herald.probe" -}}
httpGet:
  path: {{ .path }}
  port: pod-listener
  scheme: {{ ternary "HTTPS" "HTTP" (ne .context.Values.podListener.tls.mode "Disabled") }}
{{- end -}}
