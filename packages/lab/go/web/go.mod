// Builds the web server that runs in the lab's pods.
module heraldbgp.io/lab/web

go 1.26.6
