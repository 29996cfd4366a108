{{/* What the schema of the values cannot say. Each sentence names the value. */}}

{{- define "herald.refusals" -}}
{{- if eq .Release.Namespace "kube-system" -}}
{{- fail "Herald is not installed into kube-system: Secrets and Leases of the cluster itself are there. Take a namespace of its own (--namespace herald-system --create-namespace)." -}}
{{- end -}}
{{- if not .Values.image.repository -}}
{{- fail "image.repository is required: where you keep the image that the Dockerfile makes." -}}
{{- end -}}
{{- if and (eq .Values.placement.profile "OneNode") (gt (int (include "herald.replicas" .)) 1) -}}
{{- fail "replicas must be 1 with placement.profile OneNode: never two replicas on one node." -}}
{{- end -}}
{{- with .Values.podListener.tls -}}
{{- if and (eq .mode "ExistingSecret") (not .secretName) -}}
{{- fail "podListener.tls.secretName is required with podListener.tls.mode ExistingSecret." -}}
{{- end -}}
{{- if and (ne .mode "ExistingSecret") .secretName -}}
{{- fail (printf "podListener.tls.secretName has no meaning with podListener.tls.mode %s; it is for ExistingSecret." .mode) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.metrics.serviceMonitor.enabled (not (include "herald.hasTls" .)) -}}
{{- fail "metrics.serviceMonitor.enabled needs podListener.tls: without TLS only health is served." -}}
{{- end -}}
{{- end -}}
